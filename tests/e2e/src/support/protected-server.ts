import {
  startAuthorizationServer,
  type AuthorizationServer,
} from '@signalbox/authorization-server';
import { protectedResource } from '@signalbox/mcp-core/http/protected-resource';
import { createHttpHandler } from '@signalbox/mcp-core/http/server';
import { createServer, defineTool } from '@signalbox/mcp-core/server';
import { once } from 'node:events';
import { createServer as createListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A protected MCP server with the tool `read`, and its authorization server. */
export interface ProtectedServer {
  readonly url: string;
  readonly authorization: AuthorizationServer;
  /** Access tokens that the MCP server received. */
  readonly received: ReadonlySet<string>;
  /** Number of calls. */
  readonly calls: () => number;
  stop(): Promise<void>;
}

/** Starts both on this machine. `accessTokenSeconds`: life of access tokens. */
export async function startProtectedServer({
  accessTokenSeconds = 3600,
}: { readonly accessTokenSeconds?: number } = {}): Promise<ProtectedServer> {
  const authorization = await startAuthorizationServer({ scopes: ['read'], accessTokenSeconds });
  const received = new Set<string>();
  let calls = 0;
  const read = defineTool({
    name: 'read',
    inputSchema: { type: 'object', properties: {} },
    annotations: { readOnlyHint: true },
    handler: () => {
      calls += 1;
      return { content: [{ type: 'text', text: 'the text' }] };
    },
  });
  const listener = createListener((request, response) => {
    const token = /^(?:Bearer|DPoP) (.+)$/u.exec(request.headers.authorization ?? '')?.[1];
    if (token !== undefined) received.add(token);
    handler.handle(request, response);
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`;
  authorization.publishResource(url);
  const handler = createHttpHandler(
    createServer({ info: { name: 'far', version: '1' }, tools: [read] }),
    {
      access: {
        authenticate: protectedResource({
          issuer: authorization.issuer,
          resource: url,
          scopes: ['read'],
        }),
      },
    },
  );
  return {
    url,
    authorization,
    received,
    calls: () => calls,
    async stop() {
      await handler.close();
      listener.close();
      listener.closeAllConnections();
      await authorization.stop();
    },
  };
}
