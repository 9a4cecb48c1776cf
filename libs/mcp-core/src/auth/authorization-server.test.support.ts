import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { HttpAuthorization, RefusedRequest } from '../http/client/index.ts';
import { createClientAuthorization } from './client-authorization.ts';
import type { ClientAuthorizationOptions } from './options.ts';

/** A request that the authorization server received. */
export interface Arrival {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** The form in the body. */
  readonly form: URLSearchParams;
}

/** A response: a JSON value, a status with headers and a value, or none. */
export type Reply =
  | 'never'
  | { readonly [name: string]: unknown }
  | {
      readonly status: number;
      readonly headers?: { readonly [name: string]: string };
      readonly json?: unknown;
    };

export type Routes = { readonly [path: string]: (arrival: Arrival) => Reply | undefined };

export interface ScriptedAuthorizationServer {
  readonly origin: string;
  /** URL of the MCP server, which is never requested. */
  readonly mcp: string;
  readonly arrivals: readonly Arrival[];
  /** Returns the number of requests to a path. */
  readonly count: (path: string) => number;
}

/** The token response of a scripted server. */
export const TOKENS = {
  access_token: 'access-secret-1',
  token_type: 'Bearer',
  refresh_token: 'refresh-secret-1',
};

/**
 * Starts a resource and authorization server of one origin on this machine. Its routes replace or
 * add to a complete set; a route that returns `undefined` responds with 404.
 */
export async function scriptedAuthorizationServer(
  routes: (origin: string) => Routes = () => ({}),
): Promise<ScriptedAuthorizationServer> {
  const arrivals: Arrival[] = [];
  let all: Routes = {};
  const server = createServer((request, response) => {
    void handle(request, response);
  });
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request);
    const url = new URL(request.url ?? '/', 'http://localhost');
    const arrival = {
      method: request.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body,
      form: new URLSearchParams(body),
    };
    arrivals.push(arrival);
    respond(response, all[url.pathname]?.(arrival));
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  all = { ...defaultRoutes(origin), ...routes(origin) };
  return {
    origin,
    mcp: `${origin}/mcp`,
    arrivals,
    count: (path) => arrivals.filter((arrival) => arrival.path === path).length,
  };
}

/** Returns the metadata of a scripted server. */
export function metadataOf(origin: string): { readonly [name: string]: unknown } {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    authorization_response_iss_parameter_supported: true,
  };
}

/** The steps of a test: an authorization whose user consents, and requests that were refused. */
export interface Authorized {
  readonly authorization: HttpAuthorization;
  /** Addresses that the user was asked to open. */
  readonly opened: readonly URL[];
  /** Reports a refusal of the request that had the current headers. */
  readonly refuse: (
    refusal?: Partial<RefusedRequest> & { readonly challenge?: string },
  ) => Promise<boolean>;
  readonly headers: () => Promise<{ readonly [name: string]: string }>;
}

/** Creates an authorization at a scripted server. */
export function authorizedAt(
  { origin, mcp }: ScriptedAuthorizationServer,
  options: ClientAuthorizationOptions = {},
  redirected: (state: string) => { readonly [name: string]: string } = (state) => ({
    code: 'code-secret',
    state,
    iss: origin,
  }),
): Authorized {
  const opened: URL[] = [];
  const redirectUri = 'http://127.0.0.1:1/callback';
  const authorization = createClientAuthorization({
    user: {
      redirectUri,
      authorize: ({ url }) => {
        const address = new URL(url);
        opened.push(address);
        const parameters = redirected(address.searchParams.get('state') ?? '');
        return Promise.resolve(`${redirectUri}?${new URLSearchParams(parameters).toString()}`);
      },
    },
    ...options,
  });
  const request = { server: mcp, method: 'POST', url: mcp } as const;
  const headers = async (): Promise<{ readonly [name: string]: string }> =>
    authorization.headers(request);
  return {
    authorization,
    opened,
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

function defaultRoutes(origin: string): Routes {
  return {
    '/.well-known/oauth-protected-resource/mcp': () => ({
      resource: `${origin}/mcp`,
      authorization_servers: [origin],
    }),
    '/.well-known/oauth-authorization-server': () => metadataOf(origin),
    '/register': () => ({ status: 201, json: { client_id: 'registered' } }),
    '/token': () => TOKENS,
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return body;
}

function respond(response: ServerResponse, reply: Reply = { status: 404, json: {} }): void {
  if (reply === 'never') return;
  const {
    status,
    headers = {},
    json,
  } = 'status' in reply
    ? (reply as { status: number; headers?: {}; json?: unknown })
    : { status: 200, json: reply };
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(json ?? {}));
}
