import {
  newIdempotencyKey,
  ProblemError,
  unwrap,
  type Agent,
  type Client,
} from '@signalbox/client';
import type { AgentDefinition } from './agent-draft.ts';

/** A stored agent with the tag of its version. */
export interface AgentVersion {
  readonly agent: Agent;
  /** `ETag` of the response; a change with it is rejected once the agent has changed. */
  readonly etag: string;
}

/** Reads an agent with its version. @throws ProblemError `agent_not_found` */
export async function readAgent(
  { api }: Client,
  id: string,
  signal?: AbortSignal,
): Promise<AgentVersion> {
  const request = api.GET('/v1/agents/{id}', {
    params: { path: { id } },
    signal: signal ?? null,
  });
  return { agent: await unwrap(request), etag: await etagOf(request) };
}

/** Stores a new agent. @throws ProblemError */
export function createAgent({ api }: Client, definition: AgentDefinition): Promise<Agent> {
  return unwrap(
    api.POST('/v1/agents', {
      params: { header: { 'Idempotency-Key': newIdempotencyKey() } },
      body: definition,
    }),
  );
}

/**
 * Replaces an agent unless it has changed since the version was read.
 * @throws ProblemError, such as `precondition_failed` when it has changed
 */
export async function replaceAgent(
  { api }: Client,
  { agent, etag }: AgentVersion,
  definition: AgentDefinition,
): Promise<AgentVersion> {
  const request = api.PUT('/v1/agents/{id}', {
    params: { path: { id: agent.id }, header: { 'If-Match': etag } },
    body: definition,
  });
  return { agent: await unwrap(request), etag: await etagOf(request) };
}

/** Deletes an agent. Runs that have it keep its settings. @throws ProblemError */
export async function deleteAgent({ api }: Client, id: string): Promise<void> {
  await unwrap(api.DELETE('/v1/agents/{id}', { params: { path: { id } } }));
}

/** Whether a change was rejected because the agent has changed since it was read. */
export function isConflict(error: unknown): boolean {
  return error instanceof ProblemError && error.code === 'precondition_failed';
}

async function etagOf(request: Promise<{ readonly response: Response }>): Promise<string> {
  const { response } = await request;
  return response.headers.get('etag') ?? '*';
}
