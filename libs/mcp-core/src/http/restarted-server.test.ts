import { afterEach, describe, expect, test, vi } from 'vitest';
import { connectClient } from '../client/connect-client.ts';
import type { Client } from '../client/client.ts';
import type { ClientOptions } from '../client/client-options.ts';
import { createServer } from '../server/create-server.ts';
import { defineTool } from '../server/tools/tool.ts';
import type { Server } from '../server/server.ts';
import { httpTransport } from './client/http-transport.ts';
import { type HttpListener, serveHttp } from './server/serve-http.ts';

const WAIT = { timeout: 15_000 };
const info = { name: 't', version: '0' };
const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

function newServer(): Server {
  const hello = defineTool({
    name: 'hello',
    description: 'Says hello',
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    inputSchema: { type: 'object', properties: {} },
    handler: () => Promise.resolve({ content: [{ type: 'text', text: 'hello' }] }),
  });
  return createServer({ info, tools: [hello] });
}

async function listen(server: Server, port = 0): Promise<HttpListener> {
  const listener = await serveHttp(server, { port });
  closing.push(() => listener.close());
  return listener;
}

async function connect(url: string, options: Partial<ClientOptions>): Promise<Client> {
  const client = await connectClient(() => httpTransport({ url }), { info, ...options });
  closing.push(() => client.close());
  return client;
}

describe('a restarted server', () => {
  test('has forgotten the legacy session, which the next message reopens', async () => {
    const first = await listen(newServer());
    const client = await connect(first.url, { era: 'legacy' });
    await first.close();
    await listen(newServer(), first.port);
    expect(await client.listTools()).toHaveLength(1);
    expect(await client.callTool('hello', {})).toMatchObject({ content: [{ text: 'hello' }] });
  });

  test('does not receive a tool call twice', async () => {
    const first = await listen(newServer());
    const client = await connect(first.url, { era: 'legacy' });
    await first.close();
    await listen(newServer(), first.port);
    const outcomes: unknown[] = [];
    // The first call may be lost with the kept connection; the next is refused because of the
    // session.
    await vi.waitFor(async () => {
      outcomes.push(await client.callTool('hello', {}).catch((error: unknown) => error));
      expect(outcomes.at(-1)).toMatchObject({ content: [{ text: 'hello' }] });
    }, WAIT);
    expect(outcomes.at(-2)).toMatchObject({ code: 'connection-lost', sent: false });
  });

  test('ends a modern subscription in good order, and accepts the next one', async () => {
    const first = await listen(newServer());
    const client = await connect(first.url, { era: 'modern' });
    const watch = await client.watch({ onToolsChanged: () => undefined });
    await first.close();
    expect(await watch.ended).toMatchObject({
      message: expect.stringContaining('ended') as string,
    });
    const again = newServer();
    await listen(again, first.port);
    const changed = Promise.withResolvers<void>();
    const next = await client.watch({ onToolsChanged: changed.resolve });
    again.changes.toolsChanged();
    await changed.promise;
    await next.close();
  });
});

test.each(['legacy', 'modern'] as const)(
  'a %s client cannot connect to a stopped server, and does not switch to the other era',
  async (era) => {
    const listener = await listen(newServer());
    await listener.close();
    await expect(connect(listener.url, { era: { first: era } })).rejects.toMatchObject({
      code: 'connect-failed',
    });
  },
);
