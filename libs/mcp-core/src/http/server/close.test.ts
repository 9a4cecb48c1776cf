import { describe, expect, test, vi } from 'vitest';
import { createServer } from '../../server/create-server.ts';
import { createHttpHandler } from './create-http-handler.ts';
import { echo, heldTool, serve, toolOf } from './http-peer.test.support.ts';

const WAIT = { timeout: 5000 };

describe('close', () => {
  test('finishes running responses', async () => {
    const held = heldTool();
    const peer = await serve({ tools: [held.tool] });
    const session = await peer.initialize();
    const [standing, inSession] = [
      peer.send(peer.modern('tools/call', { name: 'hold', arguments: {} })),
      session.call(1, 'hold'),
    ];
    await held.started;
    const stream = await session.get();
    const closing = peer.listener.close();
    held.release();
    expect(JSON.parse((await (await standing).ended) ?? '')).toMatchObject({
      result: { content: [{ text: 'released' }] },
    });
    expect(JSON.parse((await (await inSession).ended) ?? '')).toMatchObject({
      result: { content: [{ text: 'released' }] },
    });
    await expect(stream.ended).resolves.toBeTypeOf('string');
    await closing;
    await expect(peer.send(peer.modern('server/discover'))).rejects.toThrow('ECONNREFUSED');
  });

  test('refuses a request that was sent before it and is read later', async () => {
    const handler = createHttpHandler(createServer({ info: { name: 'test', version: '1' } }));
    const body = Promise.withResolvers<Uint8Array>();
    const stream = new ReadableStream({
      pull: async (controller) => {
        controller.enqueue(await body.promise);
        controller.close();
      },
    });
    const headers = { 'content-type': 'application/json' };
    const response = handler.fetch(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers,
        body: stream,
        duplex: 'half',
      }),
    );
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {} },
    };
    await handler.close();
    body.resolve(new TextEncoder().encode(JSON.stringify(initialize)));
    expect((await response).status).toBe(503);
  });

  test('of the listener stops the tasks, of a handler it does not', async () => {
    const begun: AbortSignal[] = [];
    const tool = toolOf('work', async (_args, context) => {
      await context.startTask();
      begun.push(context.signal);
      return new Promise(() => undefined);
    });
    const peer = await serve({ tools: [{ ...tool, task: 'optional' }] });
    const meta = {
      'io.modelcontextprotocol/clientCapabilities': {
        extensions: { 'io.modelcontextprotocol/tasks': {} },
      },
    };
    await peer.exchange(peer.modern('tools/call', { name: 'work', arguments: {} }, { meta }));
    await vi.waitFor(() => {
      expect(begun).toHaveLength(1);
    }, WAIT);
    await createHttpHandler(peer.server).close();
    expect(begun[0]?.aborted).toBe(false);
    await peer.listener.close();
    expect(begun[0]?.aborted).toBe(true);
  });

  test('waits only for a limited time, then aborts', async () => {
    const held = heldTool();
    const peer = await serve({ tools: [held.tool] }, { limits: { drainMs: 20 } });
    const response = peer.send(peer.modern('tools/call', { name: 'hold', arguments: {} }));
    const { signal } = await held.started;
    await peer.listener.close();
    expect(signal.aborted).toBe(true);
    expect((await response).status).toBe(503);
  });

  test('refuses later requests to the handler', async () => {
    const handler = createHttpHandler(createServer({ info: { name: 'test', version: '1' } }));
    await handler.close();
    await handler.close();
    expect(
      (await handler.fetch(new Request('http://localhost/mcp', { method: 'POST' }))).status,
    ).toBe(503);
  });
});

test('a thousand sessions with open streams are served and closed', async () => {
  const peer = await serve({ tools: [echo] });
  const count = 1000;
  const sessions = [];
  for (let index = 0; index < count; index += 50)
    sessions.push(...(await Promise.all(Array.from({ length: 50 }, () => peer.initialize()))));
  const streams = await Promise.all(sessions.slice(0, 100).map((session) => session.get()));
  peer.server.changes.toolsChanged();
  await vi.waitFor(() => {
    expect(streams.every((stream) => stream.messages().length === 1)).toBe(true);
  }, WAIT);
  await peer.listener.close();
  await expect(Promise.all(streams.map(({ ended }) => ended))).resolves.toHaveLength(100);
});
