import { describe, expect, test } from 'vitest';
import {
  connectRaw,
  initialize,
  modern,
  type RawClient,
} from '../../testing/raw-client.test.support.ts';
import type { InteractiveContext } from './request-context.ts';
import { createServer } from '../create-server.ts';
import type { ServerOptions } from '../server.ts';
import type { ToolDefinition } from '../tools/tool.ts';

const info = { name: 'test-server', version: '1' };
const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const done = { content: [] };

/** A server whose only tool, `run`, runs this. */
async function serve(
  run: (context: InteractiveContext) => unknown,
  options: Partial<ServerOptions> = {},
): Promise<RawClient> {
  const tool: ToolDefinition = {
    name: 'run',
    description: 'Runs',
    inputSchema: { type: 'object' },
    annotations,
    handler: async (_args, context) => {
      await run(context);
      return done;
    },
  };
  return connectRaw(createServer({ info, tools: [tool], ...options }));
}

function gate() {
  return Promise.withResolvers<undefined>();
}

const methodsOf = (client: RawClient): unknown[] =>
  client.received.map((message) => (message as { method?: string }).method ?? 'answer');

describe('progress', () => {
  test('reaches the client with its token, before the response', async () => {
    const client = await serve((context) => {
      context.progress({ progress: 1, total: 3, message: 'one' });
      context.progress({ progress: 2 });
      context.progress({ progress: 3, message: 'three' });
    });
    await initialize(client, '2025-11-25');
    await client.request(1, 'tools/call', { name: 'run', _meta: { progressToken: 0 } });
    expect(client.received.slice(1)).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 0, progress: 1, total: 3, message: 'one' },
      },
      {
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 0, progress: 3, message: 'three' },
      },
      { jsonrpc: '2.0', id: 1, result: done },
    ]);
  });

  test.each([[undefined], [null], [1.5], [{}]])(
    'is dropped for the token %j',
    async (progressToken) => {
      const client = await serve((context) => {
        context.progress({ progress: 1 });
      });
      await client.request(1, 'tools/call', modern({ name: 'run' }, { progressToken }));
      expect(methodsOf(client)).toEqual(['answer']);
    },
  );

  test('is dropped after the response', async () => {
    const contexts: InteractiveContext[] = [];
    const client = await serve((context) => contexts.push(context));
    await client.request(
      1,
      'tools/call',
      modern({ name: 'run' }, { progressToken: 'p', 'io.modelcontextprotocol/logLevel': 'debug' }),
    );
    contexts[0]?.progress({ progress: 1 });
    contexts[0]?.log('error', 'late');
    await client.settled();
    expect(contexts).toHaveLength(1);
    expect(methodsOf(client)).toEqual(['answer']);
  });
});

describe('cancellation', () => {
  test.each(['legacy', 'modern'])(
    'aborts the handler with the reason and silences the request (%s)',
    async (era) => {
      const started = gate();
      const ended = Promise.withResolvers<unknown>();
      const errors: unknown[] = [];
      const client = await serve(
        async (context) => {
          started.resolve(undefined);
          await new Promise((resolve) => {
            context.signal.addEventListener('abort', resolve);
          });
          context.progress({ progress: 9 });
          context.log('error', 'late');
          ended.resolve(context.signal.reason);
          throw context.signal.reason;
        },
        { events: { onError: (error) => errors.push(error) } },
      );
      if (era === 'legacy') await initialize(client, '2025-06-18');
      const from = client.received.length;
      const meta = { progressToken: 1, 'io.modelcontextprotocol/logLevel': 'debug' };
      client.send({
        jsonrpc: '2.0',
        id: 'c',
        method: 'tools/call',
        params:
          era === 'legacy'
            ? { name: 'run', _meta: { progressToken: 1 } }
            : modern({ name: 'run' }, meta),
      });
      await started.promise;
      client.notify('notifications/cancelled', { requestId: 'c', reason: 'too slow' });
      expect(await ended.promise).toMatchObject({
        name: 'LocalError',
        code: 'request-cancelled',
        message: 'Cancelled by the client: too slow',
      });
      await client.settled();
      expect(client.received.slice(from)).toEqual([]);
      expect(errors).toEqual([]);
    },
  );

  test('prevents the handler from running until it has started', async () => {
    const wasAborted: boolean[] = [];
    const client = await serve(({ signal }) => wasAborted.push(signal.aborted));
    for (let turns = 0; turns < 40; turns += 1) {
      client.send({
        jsonrpc: '2.0',
        id: turns,
        method: 'tools/call',
        params: modern({ name: 'run' }),
      });
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      client.notify('notifications/cancelled', { requestId: turns });
    }
    expect(await client.request('last', 'tools/call', modern({ name: 'run' }))).toHaveProperty(
      'result',
    );
    expect(wasAborted.length).toBeGreaterThan(0);
    expect(wasAborted).not.toContain(true);
  });

  test('ignores unknown request ids', async () => {
    const client = await serve(() => undefined);
    await initialize(client, '2025-11-25');
    for (const params of [
      undefined,
      {},
      { requestId: 'nobody' },
      { requestId: null },
      { requestId: { id: 1 } },
    ])
      client.notify('notifications/cancelled', params);
    expect(await client.request(1, 'tools/call', { name: 'run' })).toHaveProperty('result');
  });

  test('applies to every handler when the connection ends', async () => {
    const started = gate();
    const reasons: unknown[] = [];
    const client = await serve(async ({ signal }) => {
      started.resolve(undefined);
      await new Promise((resolve) => {
        signal.addEventListener('abort', resolve);
      });
      reasons.push(signal.reason);
    });
    client.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: modern({ name: 'run' }) });
    await started.promise;
    await client.close();
    await client.connection.closed;
    await client.settled();
    expect(reasons).toHaveLength(1);
  });
});

describe('logging', () => {
  const logs = (client: RawClient): unknown[] =>
    client.received.flatMap((message) => {
      const { method, params } = message as { method?: string; params?: { level: string } };
      return method === 'notifications/message' ? [params] : [];
    });
  const logAll = (context: InteractiveContext): void => {
    context.log('debug', 'a');
    context.log('info', { b: 1 }, 'main');
    context.log('emergency', undefined);
  };

  test('sends info and more severe messages to a legacy session without a level', async () => {
    const client = await serve(logAll);
    await initialize(client, '2024-11-05');
    await client.request(1, 'tools/call', { name: 'run' });
    expect(logs(client)).toEqual([
      { level: 'info', logger: 'main', data: { b: 1 } },
      { level: 'emergency', data: null },
    ]);
  });

  test('follows logging/setLevel, per session', async () => {
    const client = await serve(logAll);
    await initialize(client, '2025-11-25');
    expect(await client.request(1, 'logging/setLevel', { level: 'alert' })).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {},
    });
    await client.request(2, 'tools/call', { name: 'run' });
    expect(logs(client)).toEqual([{ level: 'emergency', data: null }]);
    expect(await client.request(3, 'logging/setLevel', { level: 'loud' })).toMatchObject({
      error: { code: -32602 },
    });
    expect(await client.request(4, 'logging/setLevel', {})).toMatchObject({
      error: { code: -32602 },
    });
  });

  test('sends nothing to a modern request without a level, whatever a session set', async () => {
    const client = await serve(logAll);
    await initialize(client, '2025-11-25');
    await client.request(1, 'logging/setLevel', { level: 'debug' });
    await client.request(2, 'tools/call', modern({ name: 'run' }));
    expect(logs(client)).toEqual([]);
    await client.request(
      3,
      'tools/call',
      modern({ name: 'run' }, { 'io.modelcontextprotocol/logLevel': 'debug' }),
    );
    expect(logs(client)).toHaveLength(3);
  });

  test('outside a request reaches the sessions only', async () => {
    const server = createServer({ info, tools: [] });
    const [session, stateless] = await Promise.all([connectRaw(server), connectRaw(server)]);
    await initialize(session, '2025-11-25');
    await stateless.request(1, 'server/discover', modern());
    server.log('debug', 'quiet');
    server.log('warning', 'disk full', 'disk');
    await Promise.all([session.settled(), stateless.settled()]);
    expect(logs(session)).toEqual([{ level: 'warning', logger: 'disk', data: 'disk full' }]);
    expect(logs(stateless)).toEqual([]);
  });
});

test('a context may be destructured', async () => {
  const client = await serve(
    async ({ progress, log, once, elicit, sample, listRoots, gather, startTask, closeStream }) => {
      progress({ progress: 1 });
      log('info', 'taken');
      expect(await once('a', () => 1)).toBe(1);
      await expect(
        elicit('b', { message: 'b', requestedSchema: { type: 'object', properties: {} } }),
      ).rejects.toMatchObject({ code: -32021 });
      await expect(sample('c', { messages: [], maxTokens: 1 })).rejects.toMatchObject({
        code: -32021,
      });
      await expect(listRoots()).rejects.toMatchObject({ code: -32021 });
      await expect(gather({ d: { listRoots: true } })).rejects.toMatchObject({ code: -32021 });
      await startTask();
      closeStream();
    },
  );
  await initialize(client, '2025-11-25');
  expect(
    await client.request(1, 'tools/call', { name: 'run', _meta: { progressToken: 1 } }),
  ).toMatchObject({ result: done });
  expect(methodsOf(client)).toEqual([
    'answer',
    'notifications/progress',
    'notifications/message',
    'answer',
  ]);
});

test.each(['legacy', 'modern'])('an effect that is not awaited may fail (%s)', async (era) => {
  const client = await serve((context) => {
    void context.once('a', () => Promise.reject(new Error('no')));
  });
  if (era === 'legacy') await initialize(client, '2025-11-25');
  expect(
    await client.request(
      1,
      'tools/call',
      era === 'legacy' ? { name: 'run' } : modern({ name: 'run' }),
    ),
  ).toMatchObject({ result: done });
  // A rejection that nobody handles is found after the turn.
  await new Promise((resolve) => setImmediate(resolve));
});

test('a name that is not a string is -32602', async () => {
  const errors: unknown[] = [];
  const client = await serve(() => undefined, {
    settings: { tasks: {} },
    events: { onError: (error) => errors.push(error) },
  });
  for (const name of [1, null, [], { toString: 1, valueOf: 1 }]) {
    const params = modern({ name, inputResponses: {} });
    expect(await client.request(JSON.stringify(name), 'tools/call', params)).toMatchObject({
      error: { code: -32602 },
    });
  }
  expect(errors).toEqual([]);
});

describe('once', () => {
  test('runs an effect once per key and returns its result to every caller', async () => {
    let runs = 0;
    const seen: unknown[] = [];
    const client = await serve(async (context) => {
      const count = (): number => (runs += 1);
      seen.push(
        ...(await Promise.all([
          context.once('a', count),
          context.once('a', count),
          context.once('b', count),
        ])),
      );
      await expect(context.once('c', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
      await context.startTask({ ttlMs: 5 });
      context.closeStream();
    });
    expect(await client.request(1, 'tools/call', modern({ name: 'run' }))).toMatchObject({
      result: done,
    });
    expect(seen).toEqual([1, 1, 2]);
  });
});
