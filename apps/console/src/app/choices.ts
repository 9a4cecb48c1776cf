import { useQuery } from '@tanstack/react-query';
import {
  unwrap,
  type Agent,
  type Client,
  type Model,
  type Page,
  type Server,
} from '@signalbox/client';
import { allPages } from './all-pages.ts';
import { useClient } from './session.tsx';

/** Milliseconds for which a loaded list is used again. */
const STALE_MS = 30_000;

/** Returns the options of a request for the next page, with the highest limit that all of these lists accept. */
function pageOf(at: { readonly cursor?: string }, signal: AbortSignal) {
  return { params: { query: { limit: 200, ...at } }, signal };
}

/** Returns all stored agents, and undefined until they are loaded. */
export function useAgentChoices(): readonly Agent[] | undefined {
  return useChoices('agents', ({ api }, page) => unwrap(api.GET('/v1/agents', page)));
}

/** Returns all models, and undefined until they are loaded. */
export function useModelChoices(): readonly Model[] | undefined {
  return useChoices('models', ({ api }, page) => unwrap(api.GET('/v1/models', page)));
}

/** Returns all configured servers, and undefined until they are loaded. Their states may be old; `useServers` follows them. */
export function useServerChoices(): readonly Server[] | undefined {
  return useChoices('servers', ({ api }, page) => unwrap(api.GET('/v1/servers', page)));
}

function useChoices<Entry>(
  name: string,
  request: (client: Client, page: ReturnType<typeof pageOf>) => Promise<Page<Entry>>,
): readonly Entry[] | undefined {
  const client = useClient();
  const { data } = useQuery({
    queryKey: [name, 'all'],
    queryFn: ({ signal }) => allPages((at) => request(client, pageOf(at, signal))),
    staleTime: STALE_MS,
  });
  return data;
}
