import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHttpHandler } from '@signalbox/mcp-core/http/server';
import { createServer, defineTool } from '@signalbox/mcp-core/server';

/** A protected MCP server and its authorization server, at one origin of this machine. */
export interface ProtectedServer {
  readonly origin: string;
  /** URL of the MCP endpoint. */
  readonly url: string;
  /** Names of the tools that were called. */
  readonly calls: string[];
  /** Access and refresh tokens, codes and secrets that were issued. */
  readonly secrets: string[];
  /** Paths of the requests to the authorization server. */
  readonly requests: string[];
  /** Scopes that calls need. */
  needed: readonly string[];
  /** Scopes that are never granted. */
  withheld: readonly string[];
  /** Issuer in the redirects. Default: the right one. */
  redirectIssuer: string;
  /** Whether the user refuses. */
  isRefused: boolean;
  /** While set, the token endpoint waits for it before it answers. */
  held: Promise<unknown> | undefined;
  /** Ends all access tokens. */
  expire(): void;
  /** Ends all access and refresh tokens. */
  revoke(): void;
  /** Opens an address as a browser does whose user consents. Returns the page of the service. */
  consent(url: string): Promise<Response>;
  /** Enters the code of a device login. */
  enter(userCode: string): void;
  close(): Promise<void>;
}

interface Grant {
  readonly scope: string;
  readonly challenge?: string;
  readonly redirectUri?: string;
}

/** Starts a protected server with the tools `read` and `write`. */
export async function startProtectedServer(): Promise<ProtectedServer> {
  const codes = new Map<string, Grant>();
  const access = new Map<string, string>();
  const refresh = new Map<string, string>();
  const devices = new Map<string, { readonly userCode: string; isEntered: boolean }>();
  const calls: string[] = [];
  const tools = ['read', 'write'].map((name) =>
    defineTool({
      name,
      inputSchema: { type: 'object', properties: {} },
      annotations: { readOnlyHint: true },
      handler: () => {
        calls.push(name);
        return { content: [{ type: 'text', text: `${name} done` }] };
      },
    }),
  );
  const handler = createHttpHandler(createServer({ info: { name: 'p', version: '1' }, tools }));
  const http = createHttp((request, response) => void handle(request, response));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;

  const issue = (kind: string): string => {
    const secret = `${kind}-secret-${randomUUID()}`;
    server.secrets.push(secret);
    return secret;
  };
  const tokens = (scope: string): object => {
    const [accessToken, refreshToken] = [issue('access'), issue('refresh')];
    access.set(accessToken, scope);
    refresh.set(refreshToken, scope);
    return {
      access_token: accessToken,
      refresh_token: refreshToken,
      token_type: 'Bearer',
      expires_in: 3600,
      scope,
    };
  };
  const exchange = (form: URLSearchParams): object => {
    const type = form.get('grant_type') ?? '';
    const given = (name: string): string => form.get(name) ?? '';
    if (type === 'refresh_token') {
      const scope = refresh.get(given('refresh_token'));
      refresh.delete(given('refresh_token'));
      return scope === undefined ? { error: 'invalid_grant' } : tokens(scope);
    }
    if (type === 'client_credentials') {
      const { refresh_token: _, ...alone } = tokens('read') as { readonly refresh_token: string };
      return form.get('client_secret') === 'machine-secret' ? alone : { error: 'invalid_client' };
    }
    if (type.endsWith(':device_code')) {
      const device = devices.get(given('device_code'));
      return device?.isEntered === true ? tokens('read') : { error: 'authorization_pending' };
    }
    const code = codes.get(given('code'));
    codes.delete(given('code'));
    const digest = createHash('sha256').update(given('code_verifier')).digest('base64url');
    const isRight = code?.challenge === digest && code.redirectUri === form.get('redirect_uri');
    return code !== undefined && isRight ? tokens(code.scope) : { error: 'invalid_grant' };
  };
  const routes: { readonly [path: string]: (query: URLSearchParams) => object } = {
    '/.well-known/oauth-protected-resource/mcp': () => ({
      resource: `${origin}/mcp`,
      authorization_servers: [origin],
      scopes_supported: ['read'],
    }),
    '/.well-known/oauth-authorization-server': () => ({
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      revocation_endpoint: `${origin}/revoke`,
      device_authorization_endpoint: `${origin}/device`,
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['client_secret_post'],
      authorization_response_iss_parameter_supported: true,
    }),
    '/register': () => ({ client_id: randomUUID(), client_secret: issue('client') }),
    '/token': exchange,
    '/revoke': (form) => {
      access.delete(form.get('token') ?? '');
      refresh.delete(form.get('token') ?? '');
      return {};
    },
    '/device': () => {
      const [deviceCode, userCode] = [issue('device'), randomUUID().slice(0, 8)];
      devices.set(deviceCode, { userCode, isEntered: false });
      return {
        device_code: deviceCode,
        user_code: userCode,
        verification_uri: `${origin}/enter`,
        expires_in: 600,
        interval: 1,
      };
    },
  };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', origin);
    if (url.pathname === '/mcp') return serveMcp(request, response);
    let body = '';
    for await (const chunk of request) body += String(chunk);
    server.requests.push(url.pathname);
    if (url.pathname === '/token') await server.held;
    const value = routes[url.pathname]?.(new URLSearchParams(body)) ?? { error: 'not found' };
    const status = 'error' in value ? 400 : url.pathname === '/register' ? 201 : 200;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(value));
  };
  const serveMcp = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const token = /^Bearer (.+)$/u.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const scope = access.get(token)?.split(' ');
    const isCall = body.includes('"tools/call"');
    const isEnough = !isCall || server.needed.every((each) => scope?.includes(each));
    const metadata = `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
    if (scope === undefined || !isEnough) {
      const why =
        scope === undefined
          ? ''
          : `error="insufficient_scope", scope="${server.needed.join(' ')}", `;
      response.writeHead(scope === undefined ? 401 : 403, {
        'www-authenticate': `Bearer ${why}${metadata}`,
      });
      response.end();
      return;
    }
    handler.handle(request, response, {
      body: body === '' ? undefined : (JSON.parse(body) as unknown),
    });
  };
  const server: ProtectedServer = {
    origin,
    url: `${origin}/mcp`,
    calls,
    secrets: [],
    requests: [],
    needed: [],
    withheld: [],
    redirectIssuer: origin,
    isRefused: false,
    held: undefined,
    expire: () => access.clear(),
    revoke: () => {
      access.clear();
      refresh.clear();
    },
    consent(address) {
      const { searchParams } = new URL(address);
      const code = issue('code');
      const redirectUri = searchParams.get('redirect_uri') ?? '';
      codes.set(code, {
        scope: (searchParams.get('scope') ?? '')
          .split(' ')
          .filter((scope) => !server.withheld.includes(scope))
          .join(' '),
        challenge: searchParams.get('code_challenge') ?? '',
        redirectUri,
      });
      const state = searchParams.get('state') ?? '';
      const answer = server.isRefused ? { error: 'access_denied' } : { code };
      const query = new URLSearchParams({ ...answer, state, iss: server.redirectIssuer });
      return fetch(`${redirectUri}?${query.toString()}`);
    },
    enter(userCode) {
      for (const device of devices.values())
        if (device.userCode === userCode) device.isEntered = true;
    },
    async close() {
      await handler.close();
      http.closeAllConnections();
      http.close();
    },
  };
  return server;
}
