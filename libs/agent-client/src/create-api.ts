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

/** Creates the typed requests. @throws TypeError if `baseUrl` is not a URL */
export function createApi({ baseUrl, apiKey, fetch }: ClientOptions): Api {
  // Checked here, because an error of a request counts as a connection that failed.
  const { location } = globalThis as { readonly location?: { readonly href: string } };
  if (!URL.canParse(baseUrl, location?.href))
    throw new TypeError(
      `baseUrl is not a URL: "${baseUrl}"; use one such as http://127.0.0.1:8020`,
    );
  return createFetchClient<paths, 'application/json'>({
    baseUrl,
    ...(fetch !== undefined && { fetch }),
    ...(apiKey !== undefined && { headers: { authorization: `Bearer ${apiKey}` } }),
  });
}
