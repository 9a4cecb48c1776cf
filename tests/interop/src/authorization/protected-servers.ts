import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createNodeServer, type IncomingMessage } from 'node:http';
import type { ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { AuthorizationServer } from '@signalbox/authorization-server';
import {
  protectedResource,
  type ProtectedResourceOptions,
} from '@signalbox/mcp-core/http/protected-resource';
import { serveHttp } from '@signalbox/mcp-core/http/server';
import { createServer, defineTool } from '@signalbox/mcp-core/server';
import { freePort } from '../../../peers/src/free-port.ts';
import {
  createMcpHandlerV2,
  getMetadataUrlV2,
  HttpServerTransportV2,
  McpServerV2,
  oauthMetadataResponseV2,
  OAuthErrorCodeV2,
  OAuthErrorV2,
  requireBearerAuthV2,
  requireScopesV2,
  toNodeHandlerV2,
  type AuthInfoV2,
} from '../../../peers/src/sdk-v2-serving.ts';
import type { Serve } from '../matrix/hosting/host-http.ts';
import { serveSessions } from '../matrix/hosting/serve-sessions.ts';

/** A running server that needs a login. */
export interface ProtectedServer {
  readonly url: string;
  /** Text of the server's log. */
  readonly log: () => string;
  stop(): Promise<void>;
}

/**
 * Serves two tools with our library: `whoami` returns the subject, scopes and client, and `remove`
 * needs the scope `notes:write`. Every request needs `notes:read`.
 */
export async function serveOurs(
  { issuer }: AuthorizationServer,
  options: Partial<ProtectedResourceOptions> = {},
): Promise<ProtectedServer> {
  const whoami = defineTool({
    name: 'whoami',
    inputSchema: { type: 'object' },
    handler: (_args, { auth }) => ({
      structuredContent: {
        principal: auth?.principal,
        scopes: auth?.scopes,
        clientId: auth?.clientId,
      },
    }),
  });
  const remove = defineTool({
    name: 'remove',
    inputSchema: { type: 'object' },
    scopes: ['notes:write'],
    handler: () => 'removed',
  });
  const server = createServer({
    info: { name: 'notes', version: '1.0.0' },
    tools: [whoami, remove],
  });
  const port = await freePort();
  const errors: unknown[] = [];
  const listener = await serveHttp(server, {
    port,
    onError: (error) => errors.push(error),
    access: {
      authenticate: protectedResource({
        issuer,
        resource: `http://127.0.0.1:${port}/mcp`,
        scopes: ['notes:read'],
        ...options,
      }),
    },
  });
  return {
    url: listener.url,
    log: () => errors.map(String).join('\n'),
    stop: () => listener.close(),
  };
}

/** Starts our weather server with the options of its command line. */
export async function startWeather({ issuer }: AuthorizationServer): Promise<ProtectedServer> {
  const bin = new URL('bin.js', import.meta.resolve('@signalbox/server-weather/package.json'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/mcp`;
  const child = spawn(
    process.execPath,
    [
      fileURLToPath(bin),
      '--demo',
      '--demo-delay-ms',
      '0',
      '--http',
      String(port),
      '--auth-issuer',
      issuer,
      '--auth-audience',
      url,
      '--auth-scopes',
      'weather',
      '--log-level',
      'debug',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = once(child, 'exit');
  let log = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text;
      if (log.includes(`serving ${url}`)) resolve();
    });
    child.once('exit', () => reject(new Error(`the server ended: ${log}`)));
  });
  return {
    url,
    log: () => log,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Serves the same two tools with the official SDK, in sessions of 2025-11-25 or by requests of 2026-07-28. */
export async function serveSdk(
  authorizationServer: AuthorizationServer,
  era: 'legacy' | 'modern',
): Promise<ProtectedServer> {
  const { serve, stop } = era === 'legacy' ? sdkSessions() : sdkRequests();
  const port = await freePort();
  const url = new URL(`http://127.0.0.1:${port}/mcp`);
  const metadata = await fetch(
    new URL('/.well-known/oauth-authorization-server', authorizationServer.issuer),
  );
  const documents = {
    oauthMetadata: (await metadata.json()) as never, // the SDK checks it
    resourceServerUrl: url,
    scopesSupported: ['notes:read'],
  };
  const gate = requireBearerAuthV2({
    verifier: { verifyAccessToken: (token) => Promise.resolve(verify(token, authorizationServer)) },
    requiredScopes: ['notes:read'],
    resourceMetadataUrl: getMetadataUrlV2(url),
    expectedResource: url,
  });
  const listener = createNodeServer((request, response) => {
    const web = new Request(new URL(request.url ?? '/', url), {
      method: request.method ?? 'GET',
      headers: headersOf(request),
    });
    const document = oauthMetadataResponseV2(web, documents);
    if (document === undefined) void gate(web).then(pass);
    else void send(response, document);
    function pass(auth: AuthInfoV2 | Response): void {
      if (auth instanceof Response) void send(response, auth);
      else void serve(Object.assign(request, { auth }), response);
    }
  });
  listener.listen(port, '127.0.0.1');
  await once(listener, 'listening');
  return {
    url: url.href,
    log: () => '',
    stop: async () => {
      const closed = once(listener, 'close');
      listener.close();
      await stop();
      listener.closeAllConnections();
      await closed;
    },
  };
}

interface SdkServing {
  readonly serve: Serve;
  readonly stop: () => Promise<void>;
}

function sdkSessions(): SdkServing {
  const { serve } = serveSessions(async (options) => {
    const transport = new HttpServerTransportV2(options);
    await createSdkServer().connect(transport);
    return transport;
  });
  return { serve, stop: () => Promise.resolve() };
}

function sdkRequests(): SdkServing {
  const handler = createMcpHandlerV2(() => createSdkServer());
  // The handler's type does not fit node:http under exactOptionalPropertyTypes.
  return { serve: toNodeHandlerV2(handler) as Serve, stop: () => handler.close() };
}

function createSdkServer(): McpServerV2 {
  const server = new McpServerV2({ name: 'sdk-notes', version: '1.0.0' });
  server.registerTool('whoami', { description: 'Names the sender.' }, ({ http }) => ({
    content: [{ type: 'text', text: JSON.stringify(http?.authInfo?.extra) }],
  }));
  server.registerTool(
    'remove',
    {
      description: 'Removes.',
      scopeChallenge: requireScopesV2('notes:read', 'notes:write'),
    },
    () => ({ content: [{ type: 'text', text: 'removed' }] }),
  );
  return server;
}

function verify(token: string, authorizationServer: AuthorizationServer): AuthInfoV2 {
  const found = authorizationServer.findAccess(token);
  if (found === undefined)
    throw new OAuthErrorV2(OAuthErrorCodeV2.InvalidToken, 'The token is unknown');
  const { sub, scope, client_id: clientId, aud } = found.claims;
  return {
    token,
    clientId: String(clientId),
    scopes: String(scope).split(' '),
    expiresAt: Math.floor(found.expiresAt / 1000),
    resource: new URL(String(aud)),
    extra: { principal: sub },
  };
}

function headersOf(request: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value));
  return headers;
}

async function send(response: ServerResponse, answer: Response): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(await answer.text());
}
