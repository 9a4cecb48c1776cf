import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { unwrap, type Server, type ServerDetail, type Tool } from '@signalbox/client';
import { allPages } from '../app/all-pages.ts';
import { useClient } from '../app/session.tsx';

const REFRESH_MS = 2000;
/** Pages of a list are as long as the service allows. */
const LIMIT = 1000;

/** An object from a server: a resource, a resource template or a prompt. */
export interface McpObject {
  readonly [member: string]: unknown;
}

/** Returns all servers, and loads them every two seconds. */
export function useServers(): UseQueryResult<readonly Server[]> {
  const { api } = useClient();
  return useQuery({
    queryKey: ['servers'],
    queryFn: ({ signal }) =>
      allPages((at) =>
        unwrap(api.GET('/v1/servers', { params: { query: { limit: LIMIT, ...at } }, signal })),
      ),
    refetchInterval: REFRESH_MS,
  });
}

/** Returns a server with its instructions and pins, and loads it every two seconds. */
export function useServer(name: string): UseQueryResult<ServerDetail> {
  const { api } = useClient();
  return useQuery({
    queryKey: ['servers', name, 'detail'],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/v1/servers/{name}', { params: { path: { name } }, signal })),
    refetchInterval: REFRESH_MS,
  });
}

/** Returns the tools of a server that runs may use. */
export function useServerTools(name: string): UseQueryResult<readonly Tool[]> {
  const { api } = useClient();
  return useQuery({
    queryKey: ['servers', name, 'tools'],
    queryFn: ({ signal }) =>
      allPages((at) =>
        unwrap(
          api.GET('/v1/servers/{name}/tools', {
            params: { path: { name }, query: { limit: LIMIT, ...at } },
            signal,
          }),
        ),
      ),
  });
}

/** Returns a tool of a server; `data` is undefined if the server does not offer it. */
export function useServerTool(
  server: string,
  tool: string,
): { readonly data: Tool | undefined; readonly isPending: boolean } {
  const { data, isPending } = useServerTools(server);
  return { data: data?.find((each) => each.tool === tool), isPending };
}

/** Path of a list of a server. */
export type ServerList = 'resources' | 'resource-templates' | 'prompts';

/** Returns the resources, templates or prompts of a server. */
export function useServerList(
  name: string,
  list: ServerList,
): UseQueryResult<readonly McpObject[]> {
  const { api } = useClient();
  return useQuery({
    queryKey: ['servers', name, list],
    queryFn: ({ signal }) =>
      allPages((at) =>
        unwrap(
          api.GET(`/v1/servers/{name}/${list}`, {
            params: { path: { name }, query: { limit: LIMIT, ...at } },
            signal,
          }),
        ),
      ),
  });
}

/** Returns a function that loads everything of a server again. */
export function useRefreshServer(name: string): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    await queries.invalidateQueries({ queryKey: ['servers'], exact: true });
    await queries.invalidateQueries({ queryKey: ['servers', name] });
  };
}
