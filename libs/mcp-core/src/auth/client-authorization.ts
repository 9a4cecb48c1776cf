import type { HttpAuthorization, RefusedRequest } from '../http/client/authorization.ts';
import { LocalError } from '../protocol/errors.ts';
import { checkUrls } from './check-urls.ts';
import type { ClientAuthorizationOptions } from './options.ts';
import type { ServerAuthorization } from './server-authorization.ts';
import { MemoryTokenStore } from './token-store.ts';

/**
 * Creates the authorization of a client by OAuth 2.1, an option of `httpTransport`. One object may
 * serve several transports and servers; it keeps their tokens apart by issuer, resource and
 * principal. The first 401 loads the code of the flow, and each 401 discovers the authorization
 * server anew, so that a token never reaches a server whose authorization server has changed. One
 * flow per server runs at a time. While a user is asked, the time limits of requests continue: the
 * flow is not interrupted, and a later request uses its tokens. Requests other than POST never ask.
 * A refused authorization fails its request with `LocalError` `connect-failed`, whose cause is an
 * `AuthorizationError`.
 * @throws LocalError `invalid-argument`
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 * @example
 * ```ts
 * import { createClientAuthorization } from '@signalbox/mcp-core/auth';
 * import { httpTransport } from '@signalbox/mcp-core/http/client';
 *
 * declare function openBrowserAndWait(request: { readonly url: string }): Promise<string>;
 *
 * const authorization = createClientAuthorization({
 *   registration: { name: 'My host' },
 *   user: { redirectUri: 'http://127.0.0.1:3000/callback', authorize: openBrowserAndWait },
 * });
 * const transport = httpTransport({ url: 'https://mcp.example/mcp', authorization });
 * ```
 */
export function createClientAuthorization(
  options: ClientAuthorizationOptions = {},
): HttpAuthorization {
  if (options.user !== undefined && options.grant !== undefined)
    throw new LocalError(
      'invalid-argument',
      'An authorization has either user or grant; remove one of them.',
    );
  const { metadataUrl } = options.registration ?? {};
  checkUrls({ redirectUri: options.user?.redirectUri, metadataUrl });
  const store = options.store ?? new MemoryTokenStore();
  const servers = new Map<string, ServerAuthorization>();
  const load = async (server: string): Promise<ServerAuthorization> => {
    const { ServerAuthorization } = await import('./server-authorization.ts');
    const found = servers.get(server) ?? new ServerAuthorization(server, options, store);
    servers.set(server, found);
    return found;
  };
  return {
    headers: (request) => servers.get(request.server)?.headers(request) ?? {},
    dpopNonceReceived: (server, nonce) => servers.get(server)?.nonceReceived(nonce),
    refused: async (request: RefusedRequest) => (await load(request.server)).refused(request),
  };
}
