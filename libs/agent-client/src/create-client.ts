import createFetchClient, { type Client as FetchClient } from 'openapi-fetch';
import type { paths } from './generated/openapi.ts';

/** Options of {@link createClient}. */
export interface ClientOptions {
  /** Address of the service, such as `http://127.0.0.1:8020`; in a page of the service itself `location.origin`. */
  readonly baseUrl: string;
  /** API key, or the token of the service; sent as `authorization: Bearer`. Default: none. */
  readonly apiKey?: string | undefined;
  /** Sends the requests; default: `fetch` of the runtime. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
}

/** Requests to every endpoint by method and path, with the types of the OpenAPI document. Pass the result to `unwrap`. */
export type Api = FetchClient<paths, 'application/json'>;

/** A client of one service. It holds no connection and needs no closing. */
export interface Client {
  readonly api: Api;
}

/** Creates a client of a service. Nothing is sent before the first request. */
export function createClient({ baseUrl, apiKey, fetch }: ClientOptions): Client {
  const api = createFetchClient<paths, 'application/json'>({
    baseUrl,
    ...(fetch !== undefined && { fetch }),
    ...(apiKey !== undefined && { headers: { authorization: `Bearer ${apiKey}` } }),
  });
  return { api };
}
