import {
  beginLogin,
  createClientAuthorization,
  finishLogin,
  MemoryTokenStore,
  type ClientAuthorizationOptions,
  type LoginTarget,
  type TokenKey,
} from '@signalbox/mcp-core/auth';
import type { RefusedRequest } from '@signalbox/mcp-core/http/client';
import { onTestFinished } from 'vitest';
import { startAuthorizationServer, type AuthorizationServer } from './authorization-server.ts';
import type { AuthorizationServerOptions } from './options.ts';

/** Redirect URI of the client in tests. */
export const redirectUri = 'http://127.0.0.1:1/callback';

/** Starts a server that stops with the test. */
export async function serve(
  options: AuthorizationServerOptions = {},
): Promise<AuthorizationServer> {
  const server = await startAuthorizationServer(options);
  onTestFinished(() => server.stop());
  return server;
}

/** A client of `mcp-core` at an authorization server. */
export interface TestClient {
  readonly store: MemoryTokenStore;
  /** Logs in with the browser of a user. */
  readonly logIn: (target?: Partial<LoginTarget>) => Promise<TokenKey>;
  /** Returns the headers of a request to the MCP server. */
  readonly headers: () => Promise<{ readonly [name: string]: string }>;
  /** Reports that the MCP server refused a request with the current headers. */
  readonly refuse: (
    refusal?: Partial<RefusedRequest> & { readonly challenge?: string },
  ) => Promise<boolean>;
}

/** Creates a client whose users log in by `logIn`. */
export function clientOf(
  server: AuthorizationServer,
  options: ClientAuthorizationOptions = {},
): TestClient {
  const store = new MemoryTokenStore();
  const all = { user: { redirectUri }, store, ...options };
  const authorization = createClientAuthorization(all);
  const url = server.resource;
  const request = { server: url, method: 'POST', url, body: '{}' } as const;
  const headers = async () => authorization.headers(request);
  return {
    store,
    logIn: async (target) => {
      const loginOptions = { ...options, store, redirectUri };
      const begun = await beginLogin({ server: url, ...target }, loginOptions);
      return finishLogin(begun.pending, await server.browse(begun.url), loginOptions);
    },
    headers,
    refuse: async ({ challenge = 'Bearer', ...refusal } = {}) =>
      authorization.refused({
        ...request,
        status: 401,
        responseHeaders: { 'www-authenticate': challenge },
        sent: await headers(),
        attempt: 0,
        ...refusal,
      }),
  };
}
