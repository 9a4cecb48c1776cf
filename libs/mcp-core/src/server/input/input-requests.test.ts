import { describe, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import {
  connectRaw,
  initialize,
  modern,
  type RawClient,
} from '../../testing/raw-client.test.support.ts';
import type { InteractiveContext } from '../requests/request-context.ts';
import { createServer } from '../create-server.ts';
import type { LegacySession } from '../connection/legacy-session.ts';
import type { ServerOptions } from '../server.ts';
import type { ToolDefinition } from '../tools/tool.ts';

const info = { name: 'test-server', version: '1' };
const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** A server whose tool `run` gives the JSON of what this returns. */
async function serve(
  run: (context: InteractiveContext) => Promise<unknown>,
  options: Partial<ServerOptions> = {},
): Promise<RawClient> {
  const handler: ToolDefinition['handler'] = async (_args, context) => ({
    structuredContent: { value: await run(context) },
  });
  const tool: ToolDefinition = {
    name: 'run',
    description: 'Runs',
    inputSchema: { type: 'object' },
    annotations,
    handler,
  };
  return connectRaw(createServer({ info, tools: [tool], ...options }));
}

const asks = (method: string) => (message: JsonObject) => message.method === method;
const form = {
  message: 'Name?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
} as const;

describe('input requests of a legacy session', () => {
  test('are sent as requests with fresh ids and return typed responses', async () => {
    const client = await serve(async (context) => [
      await context.elicit('who', form),
      await context.listRoots(),
    ]);
    await initialize(client, '2025-06-18', { elicitation: {}, roots: {} });
    const answer = client.request(1, 'tools/call', { name: 'run' });
    const elicitation = await client.find(asks('elicitation/create'));
    expect(elicitation).toEqual({
      jsonrpc: '2.0',
      id: 1,
      method: 'elicitation/create',
      params: form,
    });
    client.send({
      jsonrpc: '2.0',
      id: elicitation.id,
      result: { action: 'accept', content: { name: 'Ada' } },
    });
    const roots = await client.find(asks('roots/list'));
    expect(roots).toEqual({ jsonrpc: '2.0', id: 2, method: 'roots/list', params: {} });
    client.send({ jsonrpc: '2.0', id: roots.id, result: { roots: [{ uri: 'file:///a' }] } });
    expect(await answer).toMatchObject({
      result: {
        structuredContent: {
          value: [{ action: 'accept', content: { name: 'Ada' } }, [{ uri: 'file:///a' }]],
        },
      },
    });
  });

  test('are not sent when the client did not declare the capability', async () => {
    const said: unknown[] = [];
    const client = await serve(async (context) => {
      said.push(
        (['roots', 'sampling', 'elicitation'] as const).map((capability) =>
          context.client.can(capability),
        ),
      );
      return context.sample('s', { messages: [], maxTokens: 1 });
    });
    await initialize(client, '2025-11-25', { elicitation: {} });
    const answer = await client.request(1, 'tools/call', { name: 'run' });
    expect(answer).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringContaining('sampling') as string }] },
    });
    expect(said).toEqual([[false, false, true]]);
    expect(
      client.received.some(
        (message) => (message as JsonObject).method === 'sampling/createMessage',
      ),
    ).toBe(false);
  });

  test('are not sent in a mode or form the client cannot show', async () => {
    const multiple = {
      message: 'x',
      requestedSchema: {
        type: 'object',
        properties: { many: { type: 'array', items: { enum: ['a'] } } },
      },
    };
    const client = await serve(async (context) => {
      await expect(
        context.elicit('u', { mode: 'url', message: 'x', url: 'https://example.com' }),
      ).rejects.toMatchObject({
        code: -32021,
        data: { requiredCapabilities: { elicitation: { url: {} } } },
      });
      await expect(context.elicit('m', multiple)).rejects.toMatchObject({ code: -32021 });
      return 'checked';
    });
    await initialize(client, '2025-06-18', { elicitation: {} });
    expect(await client.request(1, 'tools/call', { name: 'run' })).toMatchObject({
      result: { structuredContent: { value: 'checked' } },
    });
  });

  test('carry an elicitation id in url mode', async () => {
    const client = await serve((context) =>
      context.elicit('u', { mode: 'url', message: 'Sign in', url: 'https://example.com/x' }),
    );
    await initialize(client, '2025-11-25', { elicitation: { url: {} } });
    const answer = client.request(1, 'tools/call', { name: 'run' });
    const { id, params } = await client.find(asks('elicitation/create'));
    expect(params).toEqual({
      mode: 'url',
      message: 'Sign in',
      url: 'https://example.com/x',
      elicitationId: expect.stringMatching(/^[\da-f-]{36}$/u) as string,
    });
    client.send({ jsonrpc: '2.0', id, result: { action: 'decline' } });
    expect(await answer).toMatchObject({
      result: { structuredContent: { value: { action: 'decline' } } },
    });
  });

  test('reject with the client’s own error', async () => {
    const client = await serve(async (context) => {
      const error: unknown = await context
        .sample('s', { messages: [], maxTokens: 1 })
        .catch((reason: unknown) => reason);
      return { ...(error as { code: number; message: string }), message: (error as Error).message };
    });
    await initialize(client, '2025-06-18', { sampling: {} });
    const answer = client.request(1, 'tools/call', { name: 'run' });
    const { id } = await client.find(asks('sampling/createMessage'));
    client.send({
      jsonrpc: '2.0',
      id,
      error: { code: -1, message: 'User rejected sampling request' },
    });
    expect(await answer).toMatchObject({
      result: {
        structuredContent: { value: { code: -1, message: 'User rejected sampling request' } },
      },
    });
  });

  test('fail the call, not the server, when the response is invalid', async () => {
    const errors: unknown[] = [];
    const client = await serve((context) => context.elicit('who', form), {
      events: { onError: (error) => errors.push(error) },
    });
    await initialize(client, '2025-11-25', { elicitation: {} });
    const answer = client.request(1, 'tools/call', { name: 'run' });
    const { id } = await client.find(asks('elicitation/create'));
    client.send({ jsonrpc: '2.0', id, result: { action: 'perhaps' } });
    expect(await answer).toMatchObject({
      result: { isError: true, content: [{ text: 'run failed because of an internal error.' }] },
    });
    expect(errors).toMatchObject([{ code: 'invalid-response' }]);
    expect(await client.request(2, 'ping')).toHaveProperty('result');
  });

  test('are withdrawn when their tool call is cancelled', async () => {
    const client = await serve((context) => context.elicit('who', form));
    await initialize(client, '2025-11-25', { elicitation: {} });
    client.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'run' } });
    const { id } = await client.find(asks('elicitation/create'));
    client.notify('notifications/cancelled', { requestId: 1 });
    expect(await client.find(asks('notifications/cancelled'))).toMatchObject({
      params: { requestId: id },
    });
    client.send({ jsonrpc: '2.0', id, result: { action: 'accept', content: {} } });
    expect(await client.request(2, 'ping')).toHaveProperty('result');
    expect(
      client.received.filter(
        (message) => (message as JsonObject).id === 1 && 'result' in (message as JsonObject),
      ),
    ).toEqual([]);
  });

  test('are sent together by gather, and withdrawn when one fails', async () => {
    const client = await serve((context) =>
      context.gather({
        who: { elicit: form },
        where: { listRoots: true },
        what: { sample: { messages: [], maxTokens: 1 } },
      }),
    );
    await initialize(client, '2025-11-25', { elicitation: {}, roots: {}, sampling: {} });
    const answer = client.request('g', 'tools/call', { name: 'run' });
    const [who, where, what] = await Promise.all(
      ['elicitation/create', 'roots/list', 'sampling/createMessage'].map((method) =>
        client.find(asks(method)),
      ),
    );
    client.send({ jsonrpc: '2.0', id: who!.id, result: { action: 'cancel' } });
    client.send({ jsonrpc: '2.0', id: what!.id, error: { code: -1, message: 'no' } });
    expect(await answer).toMatchObject({ result: { isError: true, content: [{ text: 'no' }] } });
    expect(await client.find(asks('notifications/cancelled'))).toMatchObject({
      params: { requestId: where!.id },
    });
  });

  test('reject a response that does not fit the form', async () => {
    const client = await serve(async (context) =>
      context.elicit('who', {
        message: 'Name?',
        requestedSchema: { ...form.requestedSchema, required: ['name'] },
      }),
    );
    await initialize(client, '2025-11-25', { elicitation: {} });
    const answer = client.request(1, 'tools/call', { name: 'run' });
    const { id } = await client.find(asks('elicitation/create'));
    client.send({ jsonrpc: '2.0', id, result: { action: 'accept', content: { name: 7 } } });
    expect(await answer).toMatchObject({
      result: {
        isError: true,
        content: [{ text: expect.stringContaining('"who" does not fit its form') as string }],
      },
    });
  });

  test('return responses under the same keys from gather', async () => {
    const client = await serve((context) =>
      context.gather({ who: { elicit: form }, where: { listRoots: true } }),
    );
    await initialize(client, '2025-11-25', { elicitation: {}, roots: {} });
    const answer = client.request('g', 'tools/call', { name: 'run' });
    const [who, where] = await Promise.all(
      ['elicitation/create', 'roots/list'].map((method) => client.find(asks(method))),
    );
    client.send({ jsonrpc: '2.0', id: where!.id, result: { roots: [] } });
    client.send({ jsonrpc: '2.0', id: who!.id, result: { action: 'cancel' } });
    expect(await answer).toMatchObject({
      result: { structuredContent: { value: { who: { action: 'cancel' }, where: [] } } },
    });
  });
});

describe('input requests of a modern request', () => {
  test('that its client did not declare fail with -32021 and the capability', async () => {
    const said: boolean[] = [];
    const client = await serve((context) => {
      said.push(context.client.can('elicitation'), context.client.can('elicitation.url'));
      return context.elicit('who', { mode: 'url', message: 'x', url: 'https://example.com' });
    });
    const meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
    expect(await client.request(1, 'tools/call', modern({ name: 'run' }, meta))).toMatchObject({
      error: { code: -32021, data: { requiredCapabilities: { elicitation: { url: {} } } } },
    });
    expect(said).toEqual([true, false]);
    expect(client.received).toHaveLength(1);
  });
});

describe('onLegacySession', () => {
  test('runs after initialized and each roots change; later requests wait for it', async () => {
    const rootsSeen: unknown[] = [];
    const onLegacySession = async (session: LegacySession): Promise<void> => {
      rootsSeen.push(await session.listRoots(), await session.listRoots());
    };
    const client = await serve(() => Promise.resolve(rootsSeen.length), {
      events: { onLegacySession },
    });
    await initialize(client, '2025-11-25', { roots: { listChanged: true } });
    const answer = client.request(1, 'tools/call', { name: 'run' });
    const first = await client.find(asks('roots/list'));
    expect(await client.request(2, 'ping')).toHaveProperty('result');
    expect(rootsSeen).toEqual([]);
    client.send({ jsonrpc: '2.0', id: first.id, result: { roots: [{ uri: 'file:///a' }] } });
    expect(await answer).toMatchObject({ result: { structuredContent: { value: 2 } } });

    client.notify('notifications/roots/list_changed');
    const again = client.request(3, 'tools/call', { name: 'run' });
    const second = await client.find(
      (message) => message.method === 'roots/list' && message.id !== first.id,
    );
    client.send({ jsonrpc: '2.0', id: second.id, result: { roots: [] } });
    expect(await again).toMatchObject({ result: { structuredContent: { value: 4 } } });
    expect(rootsSeen).toEqual([[{ uri: 'file:///a' }], [{ uri: 'file:///a' }], [], []]);
  });

  test('keeps a call that was cancelled while it waited from running', async () => {
    let runs = 0;
    const run = (): Promise<number> => Promise.resolve((runs += 1));
    const client = await serve(run, {
      events: { onLegacySession: async (session) => void (await session.listRoots()) },
    });
    await initialize(client, '2025-11-25', { roots: {} });
    const { id } = await client.find(asks('roots/list'));
    client.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'run' } });
    client.notify('notifications/cancelled', { requestId: 1 });
    client.send({ jsonrpc: '2.0', id, result: { roots: [] } });
    expect(await client.request(2, 'tools/call', { name: 'run' })).toMatchObject({
      result: { structuredContent: { value: 1 } },
    });
  });

  test('gives no roots for a client without them, and never runs for modern requests', async () => {
    const seen: unknown[] = [];
    const client = await serve(() => Promise.resolve('ran'), {
      events: {
        onLegacySession: async (session) =>
          void seen.push(session.clientInfo?.name, await session.listRoots()),
      },
    });
    await client.request(1, 'tools/call', modern({ name: 'run' }));
    expect(seen).toEqual([]);
    await initialize(client, '2025-11-25');
    await client.request(2, 'tools/call', { name: 'run' });
    expect(seen).toEqual(['raw', undefined]);
  });

  test('does not block the session when it fails', async () => {
    const errors: unknown[] = [];
    const client = await serve(() => Promise.resolve('ran'), {
      events: {
        onLegacySession: () => Promise.reject(new Error('no disk')),
        onError: (error) => errors.push(error),
      },
    });
    await initialize(client, '2025-11-25');
    expect(await client.request(1, 'tools/call', { name: 'run' })).toHaveProperty(
      'result.structuredContent.value',
      'ran',
    );
    expect(errors).toMatchObject([{ message: 'no disk' }]);
  });

  test('is called once more, however often the roots change meanwhile', async () => {
    let calls = 0;
    const held = Promise.withResolvers<undefined>();
    const onLegacySession = async (): Promise<void> => {
      calls += 1;
      await held.promise;
    };
    const client = await serve(() => Promise.resolve('ran'), { events: { onLegacySession } });
    await initialize(client, '2025-11-25', { roots: {} });
    await client.settled();
    for (let change = 0; change < 1000; change += 1)
      client.notify('notifications/roots/list_changed');
    await client.settled();
    expect(calls).toBe(1);
    held.resolve(undefined);
    await client.request(1, 'tools/call', { name: 'run' });
    expect(calls).toBe(2);
  });

  test('times out when the client never lists its roots, and may list them again', async () => {
    vi.useFakeTimers();
    try {
      const outcomes: unknown[] = [];
      const onLegacySession = async (session: LegacySession): Promise<void> => {
        outcomes.push(await session.listRoots({ timeoutMs: 50 }).catch((error: unknown) => error));
        outcomes.push(await session.listRoots());
      };
      const client = await serve(() => Promise.resolve('ran'), { events: { onLegacySession } });
      await initialize(client, '2025-11-25', { roots: {} });
      const { id } = await client.find(asks('roots/list'));
      await vi.advanceTimersByTimeAsync(51);
      expect(outcomes).toMatchObject([{ code: 'request-timeout', sent: true }]);
      expect(await client.find(asks('notifications/cancelled'))).toMatchObject({
        params: { requestId: id },
      });
      const again = await client.find(
        (message) => message.method === 'roots/list' && message.id !== id,
      );
      client.send({ jsonrpc: '2.0', id: again.id, result: { roots: [] } });
      await client.request(1, 'tools/call', { name: 'run' });
      expect(outcomes[1]).toEqual([]);
    } finally {
      vi.useRealTimers();
    }
  });
});
