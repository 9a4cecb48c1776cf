import { LocalError, ProtocolError } from '@signalbox/mcp-core';
import { expect, test, vi } from 'vitest';
import type { ServerStatus } from '../ports/tool-catalogue.ts';
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
  readonly begin: (
    rest?: Partial<ToolCallRequest>,
  ) => Promise<{ readonly outcome: Promise<ToolCallOutcome>; readonly received: FakeCall }>;
  /** Makes a call that fails with the error. */
  readonly failing: (error: Error) => Promise<ToolCallOutcome>;
}

async function ready(server = new FakeServer(toolNamed('t'))): Promise<Fixture> {
  const fixture = poolOf({ server, other: new FakeServer(toolNamed('t')) });
  fixture.pool.start();
  await fixture.pool.settled(1000);
  const begin: Fixture['begin'] = async (rest) => {
    const before = server.calls.length;
    const outcome = fixture.pool.call(callRequest('server__t', rest));
    await vi.waitFor(() => expect(server.calls.length).toBe(before + 1), {
      interval: 1,
      timeout: 10_000,
    });
    return { outcome, received: server.calls.at(-1)! };
  };
  const failing = async (error: Error): Promise<ToolCallOutcome> => {
    const { outcome, received } = await begin();
    received.fail(error);
    return outcome;
  };
  return { ...fixture, server, begin, failing };
}

const timeout = new LocalError('request-timeout', 'nothing was heard of it', { sent: true });
const done = { content: [] };
const breakerIs =
  (state: ServerStatus['breaker']['state']) =>
  ({ name, breaker }: ServerStatus): boolean =>
    name === 'server' && breaker.state === state;

test('five consecutive timeouts block calls to this server only, at once and with a clear message', async () => {
  const { pool, clock, server, failing, log } = await ready();
  const opened = statusOf(pool, 'server', breakerIs('open'));
  for (let call = 0; call < 5; call++)
    expect(await failing(timeout)).toMatchObject({ type: 'lost' });
  expect(await opened).toMatchObject({
    state: 'ready',
    breaker: { failures: 5, opensAgainAt: clock.now() + 1000 },
  });
  const sent = server.calls.length;
  const refused = {
    type: 'not-sent',
    message: `server server did not answer 5 calls in a row; no call is sent to it until ${new Date(clock.now() + 1000).toISOString()}`,
  };
  expect(await pool.call(callRequest('server__t'))).toEqual(refused);
  expect(server.calls).toHaveLength(sent);
  expect(log.filter((line) => line.startsWith('warn the server does not answer'))).toHaveLength(1);
  expect(pool.servers()[1]?.breaker).toEqual({ state: 'closed', failures: 0 });
});

test('during a trial call other calls are refused, and its progress counts as an answer', async () => {
  const { pool, clock, begin, failing } = await ready();
  for (let call = 0; call < 5; call++) await failing(timeout);
  clock.advance(1000);
  const probe = await begin();
  expect(await pool.call(callRequest('server__t'))).toEqual({
    type: 'not-sent',
    message: 'server server did not answer 5 calls in a row; one call is being tried now',
  });
  probe.received.options.onProgress?.({ progress: 1 });
  expect(pool.servers()[0]?.breaker).toEqual({ state: 'closed', failures: 0 });
  const second = await begin();
  for (const { received } of [probe, second]) received.answer(done);
  expect(await second.outcome).toMatchObject({ type: 'result' });
});

test('an input request of the trial call counts as an answer', async () => {
  const { pool, clock, server, begin, failing } = await ready();
  for (let call = 0; call < 5; call++) await failing(timeout);
  clock.advance(1000);
  const { received } = await begin({
    inputHandlers: { elicit: () => new Promise(() => undefined) },
  });
  void server.options.handlers.elicit?.(
    { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } },
    { signal: new AbortController().signal, meta: {} },
  );
  expect(pool.servers()[0]?.breaker.state).toBe('closed');
  received.answer(done);
});

test.each<[string, Error]>([
  ['an error of the server', new ProtocolError(-32000, 'no')],
  [
    'a result that cannot be used',
    new LocalError('invalid-response', 'no content', { sent: true }),
  ],
  ['a question that was refused', new LocalError('input-refused', 'no')],
])('%s counts as an answer', async (_what, error) => {
  const { pool, failing } = await ready();
  for (let call = 0; call < 4; call++) await failing(timeout);
  await failing(error);
  await failing(timeout);
  expect(pool.servers()[0]?.breaker).toEqual({ state: 'closed', failures: 1 });
});

test('a result with isError counts as an answer', async () => {
  const { pool, begin, failing } = await ready();
  for (let call = 0; call < 4; call++) await failing(timeout);
  const { outcome, received } = await begin();
  received.answer({ content: [], isError: true });
  await outcome;
  expect(pool.servers()[0]?.breaker.failures).toBe(0);
});

test('a cancelled trial call is followed by another trial call', async () => {
  const { pool, clock, server, begin, failing } = await ready();
  for (let call = 0; call < 5; call++) await failing(timeout);
  clock.advance(1000);
  server.ping = () => Promise.reject(new LocalError('connection-closed', 'gone'));
  const abort = new AbortController();
  const probe = await begin({ signal: abort.signal });
  abort.abort();
  server.exitOnly();
  await probe.outcome;
  expect(pool.servers()[0]?.breaker.state).toBe('half_open');
  const next = await begin();
  next.received.answer(done);
  expect(await next.outcome).toMatchObject({ type: 'result' });
});

test('the exit of a process with five calls is one failure', async () => {
  const { pool, server, begin } = await ready();
  const calls = [await begin(), await begin(), await begin(), await begin(), await begin()];
  server.crash();
  for (const { outcome } of calls) expect(await outcome).toMatchObject({ type: 'lost' });
  expect(pool.servers()[0]?.breaker).toEqual({ state: 'closed', failures: 1 });
});

test('a remote server that is still reachable stays connected when a call is lost', async () => {
  const server = new FakeServer(toolNamed('t'));
  server.isRemote = true;
  const { pool, failing } = await ready(server);
  const asked = Promise.withResolvers<void>();
  server.ping = () => (asked.resolve(), Promise.resolve());
  expect(await failing(new LocalError('connection-lost', 'reset', { sent: true }))).toMatchObject({
    type: 'lost',
  });
  await asked.promise;
  expect(pool.servers()[0]).toMatchObject({ state: 'ready', breaker: { failures: 1 } });
  expect(server.launches).toBe(1);
});

test('a remote server that is unreachable is reconnected', async () => {
  const server = new FakeServer(toolNamed('t'));
  server.isRemote = true;
  const { pool, clock, failing } = await ready(server);
  server.ping = () => Promise.reject(new LocalError('connection-lost', 'refused', { sent: false }));
  expect(
    await failing(new LocalError('connection-lost', 'refused', { sent: false })),
  ).toMatchObject({ type: 'not-sent' });
  await statusOf(pool, 'server', ({ state }) => state === 'failed');
  clock.advance(1000);
  expect(await statusOf(pool, 'server', ({ state }) => state === 'ready')).toMatchObject({
    restarts: 1,
  });
});
