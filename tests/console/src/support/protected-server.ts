import { once } from 'node:events';
import { createServer as createListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  startAuthorizationServer,
  type AuthorizationServer,
} from '@signalbox/authorization-server';
import { protectedResource } from '@signalbox/mcp-core/http/protected-resource';
import { createHttpHandler } from '@signalbox/mcp-core/http/server';
import { createServer, defineTool } from '@signalbox/mcp-core/server';

/** An MCP server that needs a login, and its authorization server. */
export interface ProtectedServer {
  readonly url: string;
  readonly authorization: AuthorizationServer;
  stop(): Promise<void>;
}

/** Starts both on this machine. The MCP server has the tool `read_mail`. */
export async function startProtectedServer(): Promise<ProtectedServer> {
  const authorization = await startAuthorizationServer({ scopes: ['mail'] });
  const tool = defineTool({
    name: 'read_mail',
    description: 'Reads the mail.',
    inputSchema: { type: 'object', properties: {} },
    annotations: { readOnlyHint: true },
    handler: () => ({ content: [{ type: 'text', text: 'no new mail' }] }),
  });
  const listener = createListener((request, response) => handler.handle(request, response));
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`;
  authorization.publishResource(url);
  const { issuer } = authorization;
  const handler = createHttpHandler(
    createServer({ info: { name: 'mail', version: '1' }, tools: [tool] }),
    { access: { authenticate: protectedResource({ issuer, resource: url, scopes: ['mail'] }) } },
  );
  return {
    url,
    authorization,
    async stop() {
      await handler.close();
      listener.closeAllConnections();
      listener.close();
      await authorization.stop();
    },
  };
}
