import { addAbortListener } from 'node:events';
import { describe, expect, test } from 'vitest';
import { connectInMemory } from '../../testing/connect-in-memory.ts';
import { connectRaw, initialize } from '../../testing/raw-client.test.support.ts';
import { createTestContext } from '../../testing/test-context.ts';
import { createServer } from '../create-server.ts';
import type { InputRequestOptions, InteractiveContext } from '../requests/request-context.ts';
import { defineTool } from '../tools/tool.ts';

const info = { name: 'test', version: '1' };
const params = { message: 'Name?', requestedSchema: { type: 'object', properties: {} } } as const;
const sampling = {
  messages: [{ role: 'user', content: { type: 'text', text: 'x' } }],
  maxTokens: 9,
} as const;
const CLIENT = { elicitation: { form: {} }, sampling: {}, roots: {} };

type Ask = (context: InteractiveContext, options: InputRequestOptions) => Promise<unknown>;

/** Every way in which a handler sends a request to the client, with the method of the request. */
const ways: readonly (readonly [method: string, ask: Ask])[] = [
  ['elicitation/create', ({ elicit }, options) => elicit('a', params, options)],
  ['sampling/createMessage', ({ sample }, options) => sample('a', sampling, options)],
  ['roots/list', ({ listRoots }, options) => listRoots(options)],
  ['acme/ask', ({ request }, options) => request('acme/ask', {}, options)],
  ['elicitation/create', ({ gather }, options) => gather({ a: { elicit: params } }, options)],
];

function serverOf(ask: Ask, signal: AbortSignal) {
  const tool = defineTool({
    name: 'ask',
    description: 'Asks the client.',
    inputSchema: { type: 'object' },
    handler: (_args, context) =>
      ask(context, { signal }).then(
        () => 'answered',
        (reason: unknown) => {
          if (signal.aborted && reason === signal.reason) return 'withdrawn';
          throw reason;
        },
      ),
  });
  return createServer({ info, tools: [tool] });
}

describe('the signal of a request to the client', () => {
  test.each(ways)('withdraws it from a legacy client: %s', async (method, ask) => {
    const controller = new AbortController();
    const client = await connectRaw(serverOf(ask, controller.signal));
    await initialize(client, '2025-11-25', CLIENT);
    const calling = client.request(1, 'tools/call', { name: 'ask', arguments: {} });
    const asked = await client.find((message) => message.method === method);
    controller.abort(new Error('Too late'));
    expect(await calling).toMatchObject({ result: { content: [{ text: 'withdrawn' }] } });
    expect(
      await client.find((message) => message.method === 'notifications/cancelled'),
    ).toMatchObject({ params: { requestId: asked.id } });
  });

  test.each(['modern', 'legacy'] as const)(
    '%s: nothing is sent when it has aborted before',
    async (era) => {
      let asked = 0;
      const count = (): Promise<never> => {
        asked += 1;
        return Promise.reject(new Error('asked'));
      };
      const client = await connectInMemory(
        serverOf(({ elicit }, options) => elicit('a', params, options), AbortSignal.abort()),
        { info, era, handlers: { elicit: count } },
      );
      expect(await client.callTool('ask', {})).toMatchObject({ content: [{ text: 'withdrawn' }] });
      expect(asked).toBe(0);
      await client.close();
    },
  );

  test('withdraws it in a test context', async () => {
    const controller = new AbortController();
    const context = createTestContext({ elicit: () => new Promise(() => undefined) });
    const asking = context.elicit('a', params, { signal: controller.signal });
    controller.abort(new Error('Too late'));
    await expect(asking).rejects.toThrow('Too late');
  });
});

test('a signal that a handler reads only after the cancellation has aborted already', async () => {
  const cancelled = Promise.withResolvers<void>();
  const seen = Promise.withResolvers<readonly unknown[]>();
  const started = Promise.withResolvers<void>();
  const tool = defineTool({
    name: 'slow',
    description: 'Reads its signal late.',
    inputSchema: { type: 'object' },
    handler: async (_args, context) => {
      started.resolve();
      await cancelled.promise;
      const { signal } = context;
      const heard: string[] = [];
      signal.addEventListener('abort', () => heard.push('addEventListener'));
      addAbortListener(signal, () => heard.push('addAbortListener'));
      await Promise.resolve();
      seen.resolve([signal.aborted, heard]);
      return '';
    },
  });
  const client = await connectRaw(createServer({ info, tools: [tool] }));
  await initialize(client, '2025-11-25');
  client.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'slow' } });
  await started.promise;
  client.notify('notifications/cancelled', { requestId: 1 });
  await client.settled();
  cancelled.resolve();
  expect(await seen.promise).toEqual([true, ['addAbortListener']]);
});
