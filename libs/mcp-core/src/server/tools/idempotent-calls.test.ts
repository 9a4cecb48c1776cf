import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { ToolError } from '../../protocol/errors.ts';
import {
  connectRaw,
  initialize,
  modern,
  type RawClient,
} from '../../testing/raw-client.test.support.ts';
import { createServer } from '../create-server.ts';
import type { ToolDefinition } from './tool.ts';

const annotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: false,
};

/** A server whose tool `pay` counts its runs; each run waits for `release`, unless it is open from the start. */
async function serve(options: { readonly entries?: number; readonly isOpen?: boolean } = {}) {
  const state = { runs: 0, waiting: [] as (() => void)[] };
  const pay: ToolDefinition = {
    name: 'pay',
    description: 'Pays',
    inputSchema: { type: 'object' },
    annotations,
    handler: async ({ fail }: { fail?: boolean }) => {
      state.runs += 1;
      const run = state.runs;
      if (options.isOpen !== true)
        await new Promise<void>((resolve) => state.waiting.push(resolve));
      if (fail === true) throw new ToolError('Declined');
      return { structuredContent: { run } };
    },
  };
  const server = createServer({
    info: { name: 's', version: '1' },
    tools: [pay],
    ...(options.entries === undefined
      ? {}
      : { settings: { limits: { idempotencyEntries: options.entries } } }),
  });
  const client = await connectRaw(server);
  const release = async (): Promise<void> => {
    for (const resolve of state.waiting.splice(0)) resolve();
    await client.settled();
  };
  return { client, server, state, release };
}

const params = (key: unknown, args: JsonObject = { amount: 1 }): JsonObject =>
  modern({ name: 'pay', arguments: args }, { 'dev.signalbox/idempotency-key': key });
const pay = (client: RawClient, id: number, key: unknown, args?: JsonObject): Promise<JsonObject> =>
  client.request(id, 'tools/call', params(key, args));
const runOf = ({ result }: JsonObject): unknown =>
  (result as { structuredContent?: { run: number } }).structuredContent?.run;

/** Waits until `count` runs have begun. */
async function begun(state: { readonly runs: number }, count: number): Promise<void> {
  while (state.runs < count) await new Promise(setImmediate);
}

describe('a call with an idempotency key', () => {
  test('runs once, and the same call again gets the stored result, in whatever revision and order of members', async () => {
    const { client, state } = await serve({ isOpen: true });
    expect(runOf(await pay(client, 1, 'k', { amount: 1, to: 'x' }))).toBe(1);
    expect(runOf(await pay(client, 2, 'k', { to: 'x', amount: 1 }))).toBe(1);
    await initialize(client, '2025-11-25');
    const again = await client.request(3, 'tools/call', {
      name: 'pay',
      arguments: { amount: 1, to: 'x' },
      _meta: { 'dev.signalbox/idempotency-key': 'k' },
    });
    expect(again).toEqual({
      jsonrpc: '2.0',
      id: 3,
      result: { content: [{ type: 'text', text: '{"run":1}' }], structuredContent: { run: 1 } },
    });
    expect(state.runs).toBe(1);
  });

  test('joins the call that is still running', async () => {
    const { client, state, release } = await serve();
    const both = [pay(client, 1, 'k'), pay(client, 2, 'k')];
    await begun(state, 1);
    await release();
    expect((await Promise.all(both)).map(runOf)).toEqual([1, 1]);
    expect(state.runs).toBe(1);
  });

  test('is not known to another principal', async () => {
    const { server, state } = await serve({ isOpen: true });
    const payAs = async (principal?: string): Promise<unknown> => {
      const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: params('k') } as const;
      const link = { signal: new AbortController().signal, notify: () => Promise.resolve() };
      return server.handle(
        request,
        principal === undefined ? link : { ...link, auth: { principal } },
      );
    };
    const answers = [await payAs('ann'), await payAs('bob'), await payAs(), await payAs('ann')];
    expect(answers.map((answer) => runOf(answer as JsonObject))).toEqual([1, 2, 3, 1]);
    expect(state.runs).toBe(3);
  });

  test('is remembered when its input requests are answered, and not before', async () => {
    let paid = 0;
    const asking: ToolDefinition = {
      name: 'pay',
      description: 'Pays',
      inputSchema: { type: 'object' },
      annotations,
      handler: async (_args, context) => {
        // A handler that goes on although it asked must not leave a result behind.
        const answer = await context
          .elicit('sure', { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } })
          .catch(() => undefined);
        if (answer?.action === 'accept') paid += 1;
        return { structuredContent: { run: paid } };
      },
    };
    const client = await connectRaw(
      createServer({ info: { name: 's', version: '1' }, tools: [asking] }),
    );
    const meta = {
      'dev.signalbox/idempotency-key': 'k',
      'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
    };
    const first = await client.request(1, 'tools/call', modern({ name: 'pay' }, meta));
    const { requestState } = first.result as { requestState: string };
    expect(first).toMatchObject({ result: { resultType: 'input_required' } });
    expect(await client.request(2, 'tools/call', modern({ name: 'pay' }, meta))).toMatchObject({
      result: { resultType: 'input_required' },
    });
    const answered = modern(
      { name: 'pay', requestState, inputResponses: { sure: { action: 'accept', content: {} } } },
      meta,
    );
    expect(runOf(await client.request(3, 'tools/call', answered))).toBe(1);
    expect(runOf(await client.request(5, 'tools/call', modern({ name: 'pay' }, meta)))).toBe(1);
    expect(paid).toBe(1);
  });

  test('is an error with other arguments, running or finished', async () => {
    const { client, state, release } = await serve();
    const first = pay(client, 1, 'k');
    await begun(state, 1);
    expect(await pay(client, 2, 'k', { amount: 2 })).toMatchObject({ result: { isError: true } });
    await release();
    await first;
    expect(await pay(client, 3, 'k', { amount: 2 })).toMatchObject({ result: { isError: true } });
    expect(state.runs).toBe(1);
  });

  test('keeps the failure a tool reported', async () => {
    const { client, state } = await serve({ isOpen: true });
    for (const id of [1, 2])
      expect(await pay(client, id, 'k', { fail: true })).toMatchObject({
        result: { isError: true, content: [{ text: 'Declined' }] },
      });
    expect(state.runs).toBe(1);
  });

  test('leaves nothing behind when it is cancelled; a call that had joined it runs', async () => {
    const { client, state, release } = await serve();
    client.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: params('k') });
    const joined = pay(client, 2, 'k');
    await begun(state, 1);
    client.notify('notifications/cancelled', { requestId: 1 });
    await client.settled();
    await release();
    await begun(state, 2);
    await release();
    expect(runOf(await joined)).toBe(2);
    expect(runOf(await pay(client, 3, 'k'))).toBe(2);
  });

  test('that had joined a cancelled one does not run when it was cancelled itself', async () => {
    const { client, state, release } = await serve();
    for (const id of [1, 2])
      client.send({ jsonrpc: '2.0', id, method: 'tools/call', params: params('k') });
    await begun(state, 1);
    for (const requestId of [2, 1]) client.notify('notifications/cancelled', { requestId });
    await client.settled();
    await release();
    await client.request(3, 'server/discover', modern());
    expect(state.runs).toBe(1);
  });

  test('leaves nothing behind when it is refused', async () => {
    const { client } = await serve({ isOpen: true });
    expect(
      await client.request(
        1,
        'tools/call',
        modern({ name: 'nope' }, { 'dev.signalbox/idempotency-key': 'k' }),
      ),
    ).toMatchObject({ error: { code: -32602 } });
    expect(runOf(await pay(client, 2, 'k'))).toBe(1);
  });

  test('is forgotten when it was used least recently of more than the limit', async () => {
    const { client, state } = await serve({ entries: 2, isOpen: true });
    await pay(client, 1, 'a');
    await pay(client, 2, 'b');
    await pay(client, 3, 'a');
    await pay(client, 4, 'c');
    expect(runOf(await pay(client, 5, 'a'))).toBe(1);
    expect(runOf(await pay(client, 6, 'b'))).toBe(4);
    expect(state.runs).toBe(4);
  });

  test.each([[7], [null], ['x'.repeat(201)]])('refuses the key %j', async (key) => {
    const { client } = await serve({ isOpen: true });
    expect(await pay(client, 1, key)).toMatchObject({ error: { code: -32602 } });
  });

  test('runs every time without a key', async () => {
    const { client, state } = await serve({ isOpen: true });
    await client.request(1, 'tools/call', modern({ name: 'pay' }));
    await client.request(2, 'tools/call', modern({ name: 'pay' }));
    expect(state.runs).toBe(2);
  });

  test('gets its stored result when it is repeated with the state of its last round', async () => {
    let paid = 0;
    const confirmed: ToolDefinition = {
      name: 'pay',
      description: 'Pays',
      inputSchema: { type: 'object' },
      annotations,
      handler: async (_args, context) => {
        await context.elicit('sure', {
          message: 'Sure?',
          requestedSchema: { type: 'object', properties: {} },
        });
        paid += 1;
        return { structuredContent: { run: paid } };
      },
    };
    const server = createServer({ info: { name: 's', version: '1' }, tools: [confirmed] });
    const client = await connectRaw(server);
    const capabilities = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
    const meta = { 'dev.signalbox/idempotency-key': 'k', ...capabilities };
    const first = await client.request(1, 'tools/call', modern({ name: 'pay' }, meta));
    const { requestState } = first.result as { requestState: string };
    const answer = { requestState, inputResponses: { sure: { action: 'accept', content: {} } } };
    const confirmedCall = modern({ name: 'pay', ...answer }, meta);
    expect(runOf(await client.request(2, 'tools/call', confirmedCall))).toBe(1);
    expect(runOf(await client.request(3, 'tools/call', confirmedCall))).toBe(1);
    // Without the key nothing but the state says that the call ran.
    const unkeyed = modern({ name: 'pay', ...answer }, capabilities);
    expect(await client.request(4, 'tools/call', unkeyed)).toMatchObject({
      error: { code: -32602 },
    });
    expect(paid).toBe(1);
  });

  test('that had joined a running one ends when it is cancelled itself', async () => {
    const { server, state, release } = await serve();
    const gone = new AbortController();
    const handle = (signal: AbortSignal) =>
      server.handle(
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: params('k') },
        { signal, notify: () => Promise.resolve() },
      );
    const first = handle(new AbortController().signal);
    await begun(state, 1);
    const joined = handle(gone.signal);
    await new Promise(setImmediate);
    gone.abort(new Error('gone'));
    // The first call still runs.
    expect(await joined).toHaveProperty('error');
    await release();
    expect(await first).toHaveProperty('result');
  });
});

describe('the stored results of keyed calls', () => {
  const MIB = 1024 * 1024;

  function bigServer(bytes: number) {
    let runs = 0;
    const big: ToolDefinition = {
      name: 'pay',
      description: 'Pays',
      inputSchema: { type: 'object' },
      annotations,
      handler: () => {
        runs += 1;
        return { content: [{ type: 'text', text: 'x'.repeat(bytes) }] };
      },
    };
    const server = createServer({ info: { name: 's', version: '1' }, tools: [big] });
    const call = async (
      key: string,
    ): Promise<{ content: { text: string }[]; isError?: boolean }> => {
      const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: params(key) } as const;
      const response = await server.handle(request, {
        signal: new AbortController().signal,
        notify: () => Promise.resolve(),
      });
      return (response as unknown as { result: { content: { text: string }[]; isError?: boolean } })
        .result;
    };
    return { call, runs: () => runs };
  }

  test('have at most 16 MiB together; a call whose result was dropped does not run again', async () => {
    const { call, runs } = bigServer(MIB);
    for (let key = 1; key <= 18; key += 1) await call(String(key));
    expect(await call('1')).toMatchObject({
      isError: true,
      content: [
        { text: expect.stringContaining('has run, but its result is no longer stored') as string },
      ],
    });
    expect((await call('18')).content[0]?.text.length).toBe(MIB);
    expect(runs()).toBe(18);
  });

  test('hold no result that is larger than that alone', async () => {
    const { call, runs } = bigServer(17 * MIB);
    expect((await call('1')).content[0]?.text.length).toBe(17 * MIB);
    expect(await call('1')).toMatchObject({ isError: true });
    expect(runs()).toBe(1);
  });

  test('are kept for ten minutes', async () => {
    vi.useFakeTimers();
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const { call, runs } = bigServer(1);
    await call('1');
    vi.advanceTimersByTime(599_000);
    await call('1');
    expect(runs()).toBe(1);
    vi.advanceTimersByTime(1000);
    await call('1');
    expect(runs()).toBe(2);
  });
});
