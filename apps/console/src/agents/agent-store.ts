import {
  ProblemError,
  unwrap,
  type Agent,
  type AgentVersion,
  type AgentVersionEntry,
  type Client,
} from '@signalbox/client';
import type { AgentDefinition } from './agent-draft.ts';

/** More versions than the service keeps of an agent. */
const MAX_VERSIONS = 200;

/** A stored agent with its entity tag. */
export interface TaggedAgent {
  readonly agent: Agent;
  /** `ETag` of the response; a change with it is rejected once the agent has changed. */
  readonly etag: string;
}

/** Reads an agent with its tag. @throws ProblemError `agent_not_found` */
export async function readAgent(
  { api }: Client,
  id: string,
  signal?: AbortSignal,
): Promise<TaggedAgent> {
  const request = api.GET('/v1/agents/{id}', {
    params: { path: { id } },
    signal: signal ?? null,
  });
  return { agent: await unwrap(request), etag: await etagOf(request) };
}

/** Stores a new agent, once for all requests with the same `Idempotency-Key`. @throws ProblemError */
export function createAgent(
  { api }: Client,
  definition: AgentDefinition,
  key: string,
): Promise<Agent> {
  const params = { header: { 'Idempotency-Key': key } };
  return unwrap(api.POST('/v1/agents', { params, body: definition }));
}

/**
 * Replaces an agent unless it has changed since the version was read.
 * @throws ProblemError, such as `precondition_failed` when it has changed
 */
export async function replaceAgent(
  { api }: Client,
  { agent, etag }: TaggedAgent,
  definition: AgentDefinition,
): Promise<TaggedAgent> {
  const request = api.PUT('/v1/agents/{id}', {
    params: { path: { id: agent.id }, header: { 'If-Match': etag } },
    body: definition,
  });
  return { agent: await unwrap(request), etag: await etagOf(request) };
}

/** Reads the versions of an agent that are kept, newest first. @throws ProblemError `agent_not_found` */
export async function readVersions(
  { api }: Client,
  id: string,
  signal: AbortSignal,
): Promise<readonly AgentVersionEntry[]> {
  const params = { path: { id }, query: { limit: MAX_VERSIONS } };
  const { data } = await unwrap(api.GET('/v1/agents/{id}/versions', { params, signal }));
  return data;
}

/** Reads a version of an agent with its definition. @throws ProblemError */
export function readVersion(
  { api }: Client,
  id: string,
  version: number,
  signal?: AbortSignal,
): Promise<AgentVersion> {
  const params = { path: { id, version } };
  return unwrap(api.GET('/v1/agents/{id}/versions/{version}', { params, signal: signal ?? null }));
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
