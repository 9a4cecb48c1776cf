import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { ProblemError, unwrap, type Client, type ServerDefinition } from '@signalbox/client';
import { useClient } from '../app/session.tsx';

/** Servers that the service lets a person add, change and remove. */
export type Editing = 'off' | 'remote' | 'all';

/** The definition of a server with its entity tag. */
export interface TaggedDefinition {
  readonly definition: ServerDefinition;
  /** `ETag` of the response; a change with it is rejected once the definition has changed. */
  readonly etag: string;
}

/** Returns which servers can be edited; undefined while it is loaded. */
export function useEditing(): Editing | undefined {
  const { api } = useClient();
  const { data } = useQuery({
    queryKey: ['servers-editing'],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/v1/servers', { params: { query: { limit: 1 } }, signal })),
    staleTime: 60_000,
  });
  return data?.editing;
}

/** Returns the definition of a server as it was when the page was opened. */
export function useDefinition(name: string): UseQueryResult<TaggedDefinition> {
  const client = useClient();
  return useQuery({
    queryKey: ['server-definition', name],
    queryFn: ({ signal }) => readDefinition(client, name, signal),
    // The form keeps its values while a person edits them; a conflict is found when it is saved.
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
}

/** Reads the definition of a server. @throws ProblemError */
export async function readDefinition(
  { api }: Client,
  name: string,
  signal?: AbortSignal,
): Promise<TaggedDefinition> {
  const request = api.GET('/v1/servers/{name}/config', {
    params: { path: { name } },
    signal: signal ?? null,
  });
  return { definition: await unwrap(request), etag: await etagOf(request) };
}

/** Adds a server, or replaces the definition with the tag. @throws ProblemError */
export async function putDefinition(
  { api }: Client,
  name: string,
  definition: ServerDefinition,
  etag: string | undefined,
): Promise<void> {
  const header = etag === undefined ? { 'If-None-Match': '*' } : { 'If-Match': etag };
  await unwrap(
    api.PUT('/v1/servers/{name}/config', {
      params: { path: { name }, header },
      body: definition,
    }),
  );
}

/** Removes a server. @throws ProblemError */
export async function removeServer({ api }: Client, name: string): Promise<void> {
  await unwrap(api.DELETE('/v1/servers/{name}', { params: { path: { name } } }));
}

/** Whether a change was rejected because the definition has changed, or the name is used. */
export function isConflict(error: unknown): boolean {
  return error instanceof ProblemError && error.code === 'precondition_failed';
}

async function etagOf(request: Promise<{ readonly response: Response }>): Promise<string> {
  const { response } = await request;
  return response.headers.get('etag') ?? '*';
}
