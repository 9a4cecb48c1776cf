import { LocalError, type ElicitResult } from '@signalbox/mcp-core';
import type { InputContext } from '@signalbox/mcp-core/client';
import { describe, expect, test, vi } from 'vitest';
import type { StdioServerConfig } from '../config/config.ts';
import type { CallWaiting } from '../ports/tool-catalogue.ts';
import type { ToolCallOutcome, ToolCallRequest } from '../ports/tool-dispatcher.ts';
import { FakeServer, type FakeCall } from './testing/fake-server.ts';
import {
  callRequest,
  poolOf,
  statusOf,
  toolNamed,
  type PoolFixture,
} from './testing/pool-fixture.ts';

interface SentCall {
  readonly outcome: Promise<ToolCallOutcome>;
  readonly received: FakeCall;
}

interface Fixture extends PoolFixture {
  readonly server: FakeServer;
  /** Starts a call and waits until the server has received it. */
  readonly send: (runId: string, rest?: Partial<ToolCallRequest>) => Promise<SentCall>;
  /** Sends an input request on the connection of the call. */
  readonly ask: (call: SentCall, context?: InputContext) => Promise<ElicitResult>;
}

const done = { content: [{ type: 'text', text: 'done' }] } as const;
const form = { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } };
const question: InputContext = { signal: new AbortController().signal, meta: {} };
const poll = { interval: 1, timeout: 10_000 };

async function ready(
  config: Partial<StdioServerConfig> = {},
  server = new FakeServer(toolNamed('t')),
): Promise<Fixture> {
  const fixture = poolOf({ server }, { server: config });
  fixture.pool.start();
  await fixture.pool.settled(1000);
  const send: Fixture['send'] = async (runId, rest) => {
    const outcome = fixture.pool.call(
      callRequest('server__t', {
        runId,
        inputHandlers: { elicit: () => answerOf(runId) },
        ...rest,
      }),
    );
    const isOfRun = ({ options }: FakeCall): boolean =>
      options.meta?.['dev.signalbox/idempotency-key'] === (rest?.idempotencyKey ?? 'key-1');
    const before = server.calls.length;
    await vi.waitFor(() => expect(server.calls.slice(before).some(isOfRun)).toBe(true), poll);
    return { outcome, received: server.calls.slice(before).find(isOfRun)! };
  };
  const ask: Fixture['ask'] = ({ received }, context = question) =>
    server.launched[received.connection - 1]!.handlers.elicit!(form, context);
  return { ...fixture, server, send, ask };
}

function answerOf(runId: string): Promise<ElicitResult> {
  return Promise.resolve({ action: 'accept', content: { run: runId } });
}

/** Returns handlers of a person who has not answered yet. */
function unanswered(): { readonly inputHandlers: ToolCallRequest['inputHandlers'] } {
  return { inputHandlers: { elicit: () => new Promise(() => undefined) } };
}

async function end({ outcome, received }: SentCall): Promise<void> {
  received.answer(done);
  expect(await outcome).toEqual({ type: 'result', result: done });
}

async function cancel(
  fixture: Fixture,
  runId: string,
  prepare: (call: SentCall) => unknown = () => undefined,
): Promise<void> {
  const abort = new AbortController();
  const call = await fixture.send(runId, { signal: abort.signal });
  await prepare(call);
  abort.abort();
  expect(await call.outcome).toMatchObject({ type: 'cancelled' });
}

/** Makes the tool quiet: it has answered often enough without an input request. */
async function known(
  config: Partial<StdioServerConfig> = {},
  server?: FakeServer,
): Promise<Fixture> {
  const fixture = await ready(config, server);
  for (let answers = 0; answers < 3; answers += 1) await end(await fixture.send('before'));
  return fixture;
}

describe('a legacy server that has sent no input request', () => {
  test('has one connection for the calls of all runs of a tool that has answered three times', async () => {
    const { server, send, clock } = await known();
    const calls = [await send('a'), await send('b'), await send('c')];
    clock.advance(1000);
    for (const call of calls) await end(call);
    expect(server.launches).toBe(1);
  });

  test('has the input requests of two concurrent runs answered', async () => {
    const { send, ask, clock } = await ready();
    const [first, second] = [send('a'), send('b', { idempotencyKey: 'key-2' })];
    const a = await first;
    clock.advance(250);
    const b = await second;
    expect([a, b].map(({ received }) => received.connection)).toEqual([1, 2]);
    expect(await Promise.all([ask(a), ask(b)])).toMatchObject([
      { content: { run: 'a' } },
      { content: { run: 'b' } },
    ]);
  });

  test('opens a further connection after 250 ms, even if the timer fires slightly early', async () => {
    const { send, clock } = await ready();
    await send('a');
    const second = send('b', { idempotencyKey: 'key-2' });
    await vi.waitFor(() => expect(clock.waits).toContain(250), poll);
    vi.spyOn(clock, 'now').mockReturnValue(clock.now());
    clock.advance(250);
    expect((await second).received.connection).toBe(2);
  });

  test('needs no second connection when a new tool answers soon: calls of other runs wait briefly, without an event', async () => {
    const { server, send } = await ready();
    const seen: CallWaiting[] = [];
    const a = await send('a');
    const b = send('b', {
      idempotencyKey: 'key-2',
      onWaiting: (waiting) => void seen.push(waiting),
    });
    await end(a);
    await end(await b);
    expect(server.launches).toBe(1);
    expect(seen).toEqual([]);
  });

  test('gets a second connection at once when it sends an input request while a call of another run waits for the new tool', async () => {
    const { send, ask } = await ready();
    const a = await send('a', unanswered());
    const b = send('b', { idempotencyKey: 'key-2' });
    void ask(a).catch(() => undefined);
    expect((await b).received.connection).toBe(2);
  });

  test('has calls of a new tool separated from calls of other runs while a further connection can be opened', async () => {
    const { send, ask, clock } = await known({}, new FakeServer(toolNamed('t'), toolNamed('u')));
    await send('a');
    const b = send('b', { wireName: 'server__u', idempotencyKey: 'key-2' });
    await Promise.resolve();
    clock.advance(250);
    expect((await b).received.connection).toBe(2);
    expect(await ask(await b)).toMatchObject({ content: { run: 'b' } });
  });

  describe('with a single connection and a call of a tool that is known to send no input requests', () => {
    async function shared(): Promise<
      Fixture & { readonly known: SentCall; readonly fresh: SentCall }
    > {
      const fixture = await known(
        { connections: 1 },
        new FakeServer(toolNamed('t'), toolNamed('u')),
      );
      const call = await fixture.send('a');
      return {
        ...fixture,
        known: call,
        fresh: await fixture.send('b', { wireName: 'server__u', idempotencyKey: 'key-2' }),
      };
    }

    test('carries a call of a new tool, too; its input request is held until the other call has ended', async () => {
      const { ask, clock, ...calls } = await shared();
      const answer = ask(calls.fresh);
      clock.advance(600_000);
      await end(calls.known);
      expect(await answer).toEqual({ action: 'accept', content: { run: 'b' } });
    });

    test('carries no calls of new tools of two runs: the second call waits, with an event', async () => {
      const { send, pool, clock, fresh } = await shared();
      const c = send('c', { wireName: 'server__u', idempotencyKey: 'key-3' });
      await Promise.resolve();
      clock.advance(250);
      expect(pool.servers()[0]?.waiting).toMatchObject([
        { runId: 'c', reason: 'connections_busy' },
      ]);
      await end(fresh);
      await end(await c);
    });
  });

  test('has its first input request held while calls of two runs are in flight; the remaining run gets the input request', async () => {
    const { send, ask, pool } = await known();
    const seen: CallWaiting['reason'][] = [];
    const a = await send('a', { onWaiting: ({ reason }) => void seen.push(reason) });
    const b = await send('b');
    const answer = ask(a);
    expect(pool.servers()[0]?.connections).toMatchObject([
      { calls: 2, runs: ['a', 'b'], openInputRequests: 1 },
    ]);
    await end(b);
    expect(await answer).toEqual({ action: 'accept', content: { run: 'a' } });
    expect(seen).toEqual(['question_held']);
  });

  test('has input requests refused after 30 s when several runs call a tool that sent none before', async () => {
    const { send, ask, clock } = await known();
    const [a, b] = [await send('a'), await send('b')];
    const answers = Promise.allSettled([ask(a), ask(b)]);
    clock.advance(30_000);
    expect(await answers).toMatchObject([
      {
        status: 'rejected',
        reason: { code: -32603, message: expect.stringContaining('several runs') as string },
      },
      { status: 'rejected', reason: { code: -32603 } },
    ]);
  });

  test('has an input request held while another run without input requests works', async () => {
    const { send, ask, clock } = await known();
    const [a, b] = [await send('a'), await send('b')];
    const answer = ask(a);
    clock.advance(600_000);
    await end(b);
    expect(await answer).toMatchObject({ content: { run: 'a' } });
  });

  test('gets the next run’s calls on another connection after an abandoned call, and its input requests are answered', async () => {
    const fixture = await ready();
    await cancel(fixture, 'a');
    const b = await fixture.send('b');
    expect(b.received.connection).toBe(2);
    expect(await fixture.ask(b)).toEqual({ action: 'accept', content: { run: 'b' } });
    await end(b);
    expect(fixture.server.open).toBe(1);
  });

  test('with `connections` 1 is restarted after an abandoned call, before a call of another run that may send input requests; the input request is answered', async () => {
    const fixture = await ready({ connections: 1 });
    const seen: CallWaiting['reason'][] = [];
    await cancel(fixture, 'a');
    expect(fixture.server.launches).toBe(1);
    const b = await fixture.send('b', { onWaiting: ({ reason }) => void seen.push(reason) });
    expect(b.received.connection).toBe(2);
    expect(seen).toEqual(['server_restarting']);
    expect(await fixture.ask(b)).toEqual({ action: 'accept', content: { run: 'b' } });
    expect(fixture.server.open).toBe(1);
  });

  test('with `connections` 1 is not restarted after an abandoned call for a tool that is known to send no input requests', async () => {
    const fixture = await known({ connections: 1 });
    await cancel(fixture, 'a');
    await end(await fixture.send('b'));
    expect(fixture.server.launches).toBe(1);
  });

  test('keeps its connection for the run of an abandoned call', async () => {
    const fixture = await ready();
    await cancel(fixture, 'a');
    await end(await fixture.send('a'));
    expect(fixture.server.launches).toBe(1);
  });
});

describe('a legacy server that has sent an input request', () => {
  async function asking(config: Partial<StdioServerConfig> = {}): Promise<Fixture> {
    const fixture = await ready(config);
    const call = await fixture.send('before');
    await fixture.ask(call);
    await end(call);
    return fixture;
  }

  test('serves other runs over further connections while an input request is open, and each run answers its own input request', async () => {
    const { send, ask, server, pool } = await asking();
    const a = await send('a', unanswered());
    void ask(a).catch(() => undefined);
    const b = await send('b');
    const c = await send('c');
    expect([a, b, c].map(({ received }) => received.connection)).toEqual([1, 2, 3]);
    expect(await ask(b)).toMatchObject({ content: { run: 'b' } });
    expect(await ask(c)).toMatchObject({ content: { run: 'c' } });
    expect(pool.servers()[0]?.connections).toMatchObject([
      { runs: ['a'], openInputRequests: 1 },
      { runs: ['b'] },
      { runs: ['c'] },
    ]);
    await end(b);
    await end(c);
    expect(server.open).toBe(3);
  });

  test('uses the same connection for the calls of a run', async () => {
    const { send } = await asking();
    const [a, b] = [await send('a'), await send('b')];
    await end(b);
    await end(a);
    expect((await send('b')).received.connection).toBe(2);
    expect((await send('b')).received.connection).toBe(2);
  });

  test('has calls wait, with an event, when all connections carry calls of other runs', async () => {
    const { send, ask, pool, clock } = await asking({ connections: 2 });
    const a = await send('a', unanswered());
    void ask(a).catch(() => undefined);
    const b = await send('b');
    const seen: CallWaiting[] = [];
    const c = pool.call(
      callRequest('server__t', {
        runId: 'c',
        callId: 'call-c',
        onWaiting: (waiting) => void seen.push(waiting),
      }),
    );
    await vi.waitFor(() => expect(seen).toHaveLength(1), poll);
    const waiting = {
      reason: 'connections_busy',
      message:
        'all 2 connections to the server carry calls of other runs; 1 of them waits for a person or the model',
    };
    expect(seen).toEqual([waiting]);
    expect(pool.servers()[0]?.waiting).toEqual([
      { ...waiting, runId: 'c', callId: 'call-c', since: clock.now() },
    ]);
    await end(b);
    await vi.waitFor(() => expect(pool.servers()[0]?.waiting).toEqual([]), poll);
    void c;
  });

  test('never gets a second connection with `connections` 1: calls of other runs wait for it', async () => {
    const { send, server, pool } = await asking({ connections: 1 });
    const a = await send('a');
    const b = pool.call(callRequest('server__t', { runId: 'b', inputHandlers: {} }));
    await vi.waitFor(
      () => expect(pool.servers()[0]?.waiting).toMatchObject([{ reason: 'connections_busy' }]),
      poll,
    );
    await end(a);
    await vi.waitFor(() => expect(server.calls).toHaveLength(3), poll);
    server.calls[2]!.answer(done);
    expect(await b).toMatchObject({ type: 'result' });
    expect(server.launches).toBe(1);
  });

  test('loses no call of another run when a call with an open input request is cancelled: only its connection is replaced', async () => {
    const fixture = await asking();
    const { send, ask, server, pool } = fixture;
    const other = await send('b');
    const states: string[] = [];
    pool.onServerChange(({ state }) => void states.push(state));
    await cancel(fixture, 'a', (call) => void ask(call).catch(() => undefined));
    expect(pool.find('server__t')).toBeDefined();
    expect(pool.tools()).toHaveLength(1);
    const next = await send('c');
    expect(next.received.connection).not.toBe(2);
    await end(other);
    await end(next);
    expect(states).not.toContain('connecting');
    await vi.waitFor(
      () =>
        expect(pool.servers()[0]?.connections.every(({ retiring }) => retiring === undefined)).toBe(
          true,
        ),
      poll,
    );
    expect(server.open).toBe(pool.servers()[0]?.connections.length);
  });

  test('is replaced in the background when its only connection had an abandoned call', async () => {
    const fixture = await asking();
    await cancel(fixture, 'a');
    expect(await statusOf(fixture.pool, 'server', ({ pid }) => pid === 4002)).toMatchObject({
      state: 'ready',
      restarts: 1,
    });
    expect(fixture.server.open).toBe(1);
  });

  test('is restarted, while its tools stay offered and calls wait, when no second connection is allowed', async () => {
    const fixture = await asking({ connections: 1 });
    fixture.server.launchPlan.push('hang');
    await cancel(fixture, 'a');
    expect(fixture.pool.servers()).toMatchObject([{ state: 'connecting', restarts: 1 }]);
    expect(fixture.pool.tools()).toHaveLength(1);
    expect(fixture.pool.whyNotOffered('server__t')).toBeUndefined();
    const b = fixture.pool.call(callRequest('server__t', { runId: 'b' }));
    await vi.waitFor(
      () =>
        expect(fixture.pool.servers()[0]?.waiting).toMatchObject([
          { runId: 'b', reason: 'server_restarting' },
        ]),
      poll,
    );
    await fixture.pool.control('server')!.reconnect('now');
    await vi.waitFor(() => expect(fixture.server.calls.at(-1)?.connection).toBe(3), poll);
    fixture.server.calls.at(-1)!.answer(done);
    expect(await b).toMatchObject({ type: 'result' });
  });

  test('has its calls wait for the open connections when a further connection fails, and retries after a minute', async () => {
    const { send, server, pool, clock } = await asking();
    server.launchPlan.push(new Error('only one of me'));
    const a = await send('a');
    const b = pool.call(callRequest('server__t', { runId: 'b' }));
    await vi.waitFor(
      () => expect(pool.servers()[0]?.waiting).toMatchObject([{ reason: 'connections_busy' }]),
      poll,
    );
    // A timer may fire before the clock shows the full time.
    vi.spyOn(clock, 'now').mockReturnValue(clock.now());
    clock.advance(60_000);
    await vi.waitFor(() => expect(server.calls.at(-1)?.connection).toBe(3), poll);
    server.calls.at(-1)!.answer(done);
    expect(await b).toMatchObject({ type: 'result' });
    await end(a);
  });

  test('keeps further connections a minute after their last call', async () => {
    const { send, server, clock } = await asking();
    const [a, b] = [await send('a'), await send('b')];
    await end(a);
    await end(b);
    clock.advance(59_000);
    expect(server.open).toBe(2);
    clock.advance(1000);
    expect(server.open).toBe(1);
  });

  test('stays ready when a connection is lost', async () => {
    const { send, server, pool } = await asking();
    const [a, b] = [await send('a'), await send('b')];
    a.received.fail(new LocalError('connection-lost', 'gone', { sent: true }));
    server.launched[0]!.onClosed(new LocalError('connection-lost', 'gone'));
    expect(await a.outcome).toMatchObject({ type: 'lost' });
    expect(pool.servers()).toMatchObject([
      { state: 'ready', pid: 4002, connections: [{ runs: ['b'] }] },
    ]);
    await end(b);
  });
});

test('a modern server names the call of each input request, so one connection carries the calls of all runs', async () => {
  const fake = new FakeServer(toolNamed('t'));
  fake.era = 'modern';
  const fixture = await ready({}, fake);
  const [a, b] = [await fixture.send('a'), await fixture.send('b')];
  const about = ({ received }: SentCall): InputContext => ({
    ...question,
    request: { method: 'tools/call', name: 't', meta: received.options.meta! },
  });
  expect(await fixture.ask(a, about(a))).toMatchObject({ content: { run: 'a' } });
  await cancel(fixture, 'c');
  const d = await fixture.send('d');
  expect(d.received.connection).toBe(1);
  for (const call of [a, b, d]) await end(call);
});

describe('a call that waits for a connection', () => {
  async function waiting(
    rest: Partial<ToolCallRequest> = {},
  ): Promise<Fixture & { readonly outcome: Promise<ToolCallOutcome>; readonly a: SentCall }> {
    const fixture = await ready({ connections: 1 });
    const a = await fixture.send('a');
    await fixture.ask(a);
    const outcome = fixture.pool.call(callRequest('server__t', { runId: 'b', ...rest }));
    await vi.waitFor(() => expect(fixture.pool.servers()[0]?.waiting).toHaveLength(1), poll);
    return { ...fixture, a, outcome };
  }

  test('ends when it is cancelled: nothing was sent', async () => {
    const abort = new AbortController();
    const { outcome, server } = await waiting({ signal: abort.signal });
    abort.abort();
    expect(await outcome).toEqual({ type: 'cancelled', level: 'confirmed' });
    expect(server.calls).toHaveLength(1);
  });

  test('ends after the total time limit of the call', async () => {
    const { outcome, clock } = await waiting({ maxTotalMs: 3000 });
    clock.advance(3000);
    expect(await outcome).toEqual({
      type: 'not-sent',
      message: 'the connections to server server were in use by other runs for 3 s',
    });
  });

  test('ends when the server fails', async () => {
    const { outcome, server, a } = await waiting();
    server.crash('gone');
    expect(await a.outcome).toEqual({
      type: 'lost',
      message: 'the connection to server server ended: gone',
    });
    expect(await outcome).toMatchObject({ type: 'not-sent' });
  });
});
