import {
  LocalError,
  ProtocolError,
  type CreateMessageResult,
  type ElicitResult,
} from '@signalbox/mcp-core';
import type { InputContext } from '@signalbox/mcp-core/client';
import { describe, expect, test, vi } from 'vitest';
import type { StdioServerConfig } from '../config/config.ts';
import type { ToolCallOutcome, ToolCallRequest } from '../ports/tool-dispatcher.ts';
import { FakeServer, type FakeCall } from './testing/fake-server.ts';
import {
  callRequest,
  poolOf,
  statusOf,
  toolNamed,
  type PoolFixture,
} from './testing/pool-fixture.ts';

interface Fixture extends PoolFixture {
  readonly server: FakeServer;
  /** Starts a call. Returns its outcome and the call as received by the server. */
  readonly call: (
    rest?: Partial<ToolCallRequest>,
  ) => Promise<{ readonly outcome: Promise<ToolCallOutcome>; readonly received: FakeCall }>;
}

async function ready(config: Partial<StdioServerConfig> = {}): Promise<Fixture> {
  const server = new FakeServer(
    toolNamed('t', { type: 'object', properties: { n: { type: 'number' } } }),
  );
  const fixture = poolOf({ server }, { server: config });
  fixture.pool.start();
  await fixture.pool.settled(1000);
  const call: Fixture['call'] = async (rest) => {
    const before = server.calls.length;
    const outcome = fixture.pool.call(callRequest('server__t', rest));
    await vi.waitFor(() => expect(server.calls.length).toBe(before + 1), {
      interval: 1,
      timeout: 10_000,
    });
    return { outcome, received: server.calls.at(-1)! };
  };
  return { ...fixture, server, call };
}

/** Lets the tool answer without an input request until its calls share a connection. */
async function answers(call: Fixture['call'], count: number): Promise<void> {
  for (let given = 0; given < count; given += 1) {
    const { received, outcome } = await call();
    received.answer(done);
    await outcome;
  }
}

const done = { content: [{ type: 'text', text: 'done' }] } as const;
const question = { signal: new AbortController().signal, meta: {} };
const form = { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } };
const sampling = { messages: [], maxTokens: 10 };
const accepts = (content: { readonly [key: string]: string }) => ({
  elicit: (): Promise<ElicitResult> => Promise.resolve({ action: 'accept', content }),
});

describe('the sent call', () => {
  test('has name, arguments, idempotency key and limits', async () => {
    const { call } = await ready();
    const onProgress = vi.fn<ToolCallRequest['onProgress']>();
    const { outcome, received } = await call({
      arguments: { n: 1 },
      idempotencyKey: 'k',
      inactivityMs: 5,
      maxTotalMs: 9,
      onProgress,
    });
    expect(received).toMatchObject({
      name: 't',
      arguments: { n: 1 },
      options: { timeoutMs: 5, maxTotalMs: 9, meta: { 'dev.signalbox/idempotency-key': 'k' } },
    });
    received.options.onProgress?.({ progress: 1, total: 2 });
    expect(onProgress.mock.calls).toEqual([[{ progress: 1, total: 2 }]]);
    received.answer(done);
    expect(await outcome).toEqual({ type: 'result', result: done });
  });

  test('is not sent when the arguments are invalid, and the model gets the error', async () => {
    const { pool, server } = await ready();
    const outcome = await pool.call(callRequest('server__t', { arguments: { n: 'one' } }));
    expect(outcome).toMatchObject({
      type: 'result',
      result: {
        isError: true,
        content: [
          {
            type: 'text',
            text: expect.stringContaining('n: must be number, but is string') as string,
          },
        ],
      },
    });
    expect(server.calls).toEqual([]);
  });

  test('is not sent when the tool is unknown', async () => {
    const { pool } = await ready();
    expect(await pool.call(callRequest('server__none'))).toEqual({
      type: 'not-sent',
      message: 'server server offers no tool of that name at present',
    });
    expect(await pool.call(callRequest('nowhere__none'))).toEqual({
      type: 'not-sent',
      message: 'no server offers a tool called nowhere__none',
    });
  });

  test('is not sent when the call was cancelled before', async () => {
    const { pool, server } = await ready();
    expect(await pool.call(callRequest('server__t', { signal: AbortSignal.abort() }))).toEqual({
      type: 'cancelled',
      level: 'confirmed',
    });
    expect(server.calls).toEqual([]);
  });
});

test.each<[Error, ToolCallOutcome]>([
  [
    new ProtocolError(-32602, 'bad'),
    { type: 'error', message: 'server server answered with error -32602: bad' },
  ],
  [
    new LocalError('connection-lost', 'gone', { sent: true }),
    { type: 'lost', message: 'the connection to server server ended: gone' },
  ],
  [
    new LocalError('connection-lost', 'gone', { sent: false }),
    { type: 'not-sent', message: 'the connection to server server ended: gone' },
  ],
  [
    new LocalError('connection-closed', 'closed'),
    { type: 'not-sent', message: 'the connection to server server ended: closed' },
  ],
  [
    new LocalError('invalid-response', 'no content', { sent: true }),
    { type: 'error', message: 'server server: no content' },
  ],
  [
    new LocalError('capability-missing', 'asked for input'),
    { type: 'error', message: 'server server: asked for input' },
  ],
  [
    new LocalError('request-timeout', 'never sent'),
    { type: 'not-sent', message: 'server server read nothing for 120 s' },
  ],
  [
    new TypeError('bug'),
    { type: 'lost', message: 'the call of server server failed unexpectedly: bug' },
  ],
  [
    new LocalError('request-timeout', 'nothing was heard of it', { sent: true }),
    {
      type: 'lost',
      message:
        'nothing was heard of it; it was cancelled (the server received the cancellation), and it is unknown whether it took effect',
    },
  ],
])('%s', async (failure, expected) => {
  const { call } = await ready();
  const { outcome, received } = await call();
  received.fail(failure);
  expect(await outcome).toEqual(expected);
});

test('no outcome has secrets of the server', async () => {
  const { call } = await ready({ env: { KEY: 'hush-hush' }, secrets: ['tok-en-1'] });
  const { outcome, received } = await call();
  received.fail(
    new LocalError(
      'connection-lost',
      'The server process exited with code 1; on stderr: no hush-hush for tok-en-1',
      { sent: true },
    ),
  );
  expect(await outcome).toEqual({
    type: 'lost',
    message:
      'the connection to server server ended: The server process exited with code 1; on stderr: no *** for ***',
  });
});

describe('the progress of a cancellation', () => {
  const stuck = (): Promise<void> =>
    Promise.reject(new LocalError('request-timeout', 'no pong', { sent: true }));

  async function cancelled(
    prepare: (fixture: Fixture) => void | Promise<unknown>,
  ): Promise<{ readonly outcome: ToolCallOutcome; readonly fixture: Fixture }> {
    const fixture = await ready();
    const abort = new AbortController();
    const { outcome } = await fixture.call({ signal: abort.signal });
    await prepare(fixture);
    abort.abort();
    return { outcome: await outcome, fixture };
  }

  test('delivered when a later ping is answered', async () => {
    expect((await cancelled(() => undefined)).outcome).toEqual({
      type: 'cancelled',
      level: 'delivered',
    });
  });

  test('delivered when the ping is answered with an error', async () => {
    const { outcome } = await cancelled(
      ({ server }) =>
        void (server.ping = () => Promise.reject(new ProtocolError(-32601, 'no ping'))),
    );
    expect(outcome).toEqual({ type: 'cancelled', level: 'delivered' });
  });

  test('confirmed when the process exited', async () => {
    const { outcome } = await cancelled(({ server }) => {
      server.ping = () => (
        server.exitOnly(),
        Promise.reject(new LocalError('connection-lost', 'gone', { sent: true }))
      );
    });
    expect(outcome).toEqual({ type: 'cancelled', level: 'confirmed' });
  });

  test('failed when the connection is gone and the process is not known to have ended', async () => {
    const fixture = await ready();
    const abort = new AbortController();
    const { outcome } = await fixture.call({ signal: abort.signal });
    const before = fixture.clock.waits.length;
    fixture.server.ping = () => Promise.reject(new LocalError('connection-closed', 'gone'));
    abort.abort();
    await vi.waitFor(() => expect(fixture.clock.waits.length).toBe(before + 1), {
      interval: 1,
      timeout: 10_000,
    });
    fixture.clock.advance(2000);
    expect(await outcome).toEqual({ type: 'cancelled', level: 'failed' });
  });

  test('confirmed when an unresponsive server was stopped, and the server is restarted', async () => {
    const { outcome, fixture } = await cancelled(({ server }) => void (server.ping = stuck));
    expect(outcome).toEqual({ type: 'cancelled', level: 'confirmed' });
    expect(await statusOf(fixture.pool, 'server', ({ state }) => state === 'ready')).toMatchObject({
      pid: 4002,
      restarts: 1,
    });
    expect(fixture.server.open).toBe(1);
  });

  test('sent when an unresponsive server has another call, and the server is restarted after that call', async () => {
    const other: { outcome?: Promise<ToolCallOutcome>; received?: FakeCall } = {};
    const { outcome, fixture } = await cancelled(async ({ server, call }) => {
      server.ping = stuck;
      Object.assign(other, await call());
    });
    expect(outcome).toEqual({ type: 'cancelled', level: 'sent' });
    expect(fixture.server.launches).toBe(1);
    other.received?.answer(done);
    expect(await other.outcome).toEqual({ type: 'result', result: done });
    expect(
      await statusOf(fixture.pool, 'server', ({ pid, state }) => state === 'ready' && pid === 4002),
    ).toMatchObject({ restarts: 1 });
  });

  test('a server with input requests is restarted, because it may send an input request for the cancelled call later', async () => {
    const { outcome, fixture } = await cancelled(({ server }) =>
      server.options.handlers.elicit!(form, question).catch(() => undefined),
    );
    expect(outcome).toEqual({ type: 'cancelled', level: 'delivered' });
    expect(
      await statusOf(fixture.pool, 'server', ({ pid, state }) => state === 'ready' && pid === 4002),
    ).toMatchObject({ restarts: 1 });
  });
});

describe('an input request is routed to', () => {
  test('the only run with calls in flight', async () => {
    const { server, call } = await ready();
    const first = await call({ inputHandlers: accepts({ by: 'first' }) });
    await call({ inputHandlers: accepts({ by: 'second' }) });
    expect(await server.options.handlers.elicit!(form, question)).toEqual({
      action: 'accept',
      content: { by: 'first' },
    });
    first.received.answer(done);
    await first.outcome;
    expect(await server.options.handlers.elicit!(form, question)).toEqual({
      action: 'accept',
      content: { by: 'second' },
    });
  });

  test('the same run for sampling', async () => {
    const { server, call } = await ready();
    const answer: CreateMessageResult = {
      role: 'assistant',
      content: { type: 'text', text: '4' },
      model: 'm',
    };
    await call({
      inputHandlers: {
        sample: (params) => Promise.resolve({ ...answer, model: `m${params.maxTokens}` }),
      },
    });
    expect(await server.options.handlers.sample!(sampling, question)).toEqual({
      ...answer,
      model: 'm10',
    });
  });

  test('the call that the input request names, whatever else is in flight', async () => {
    const { server, call, pool } = await ready();
    await answers(call, 3);
    const calls = [
      await call({ runId: 'run-1', inputHandlers: accepts({ by: '1' }) }),
      await call({ runId: 'run-2', inputHandlers: accepts({ by: '2' }) }),
    ];
    const about = ({ received }: (typeof calls)[number]): InputContext => ({
      ...question,
      request: { method: 'tools/call', name: 't', meta: received.options.meta! },
    });
    const given = await Promise.all(
      calls.map((asked) => server.options.handlers.elicit!(form, about(asked))),
    );
    expect(given).toEqual(['1', '2'].map((by) => ({ action: 'accept', content: { by } })));
    void pool.call(callRequest('server__t', { runId: 'run-3' }));
    await vi.waitFor(() => expect(server.calls).toHaveLength(6), { interval: 1, timeout: 10_000 });
    calls[0]!.received.answer(done);
    await calls[0]!.outcome;
    await expect(server.options.handlers.elicit!(form, about(calls[0]!))).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining('No tool call is in progress') as string,
    });
  });

  test('no run without a call in flight: the input request is refused', async () => {
    const { server } = await ready();
    await expect(server.options.handlers.sample!(sampling, question)).rejects.toMatchObject({
      code: -1,
      message: expect.stringContaining('No tool call is in progress') as string,
    });
    await expect(server.options.handlers.elicit!(form, question)).rejects.toMatchObject({
      code: -32603,
    });
  });

  test('no run when the call does not handle this kind of input request', async () => {
    const { server, call } = await ready();
    await call();
    await expect(server.options.handlers.sample!(sampling, question)).rejects.toMatchObject({
      code: -1,
    });
    await expect(server.options.handlers.elicit!(form, question)).rejects.toMatchObject({
      code: -32603,
    });
  });

  test('the configuration for roots, whatever is in flight', async () => {
    const { server } = await ready({ roots: ['/srv/my docs'] });
    expect(await server.options.handlers.listRoots!(question)).toEqual([
      { uri: 'file:///srv/my%20docs', name: 'my docs' },
    ]);
    expect((await ready()).server.options.handlers).not.toHaveProperty('listRoots');
  });
});
