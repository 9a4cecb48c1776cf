import { setImmediate } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import type { StdioServerConfig } from '../config/config.ts';
import type { ServerControl } from '../ports/server-directory.ts';
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
  readonly control: ServerControl;
  readonly begin: (
    rest?: Partial<ToolCallRequest>,
  ) => Promise<{ readonly outcome: Promise<ToolCallOutcome>; readonly received: FakeCall }>;
}

function fixtureOf(server: FakeServer, config: Partial<StdioServerConfig> = {}): Fixture {
  const fixture = poolOf({ server }, { server: config });
  fixture.pool.start();
  const begin: Fixture['begin'] = async (rest) => {
    const before = server.calls.length;
    const outcome = fixture.pool.call(callRequest('server__t', rest));
    await vi.waitFor(() => expect(server.calls.length).toBe(before + 1), {
      interval: 1,
      timeout: 10_000,
    });
    return { outcome, received: server.calls.at(-1)! };
  };
  return { ...fixture, server, control: fixture.pool.control('server')!, begin };
}

async function ready(config: Partial<StdioServerConfig> = {}): Promise<Fixture> {
  const fixture = fixtureOf(new FakeServer(toolNamed('t')), config);
  await fixture.pool.settled(1000);
  return fixture;
}

const is =
  (state: ServerStatus['state']) =>
  (status: ServerStatus): boolean =>
    status.state === state;
const done = { content: [] };

test('a server that is not configured cannot be controlled', async () => {
  const { pool } = await ready();
  expect(pool.control('nowhere')).toBeUndefined();
});

describe('draining', () => {
  test('before the pool has started its servers keeps this one ended', async () => {
    const server = new FakeServer(toolNamed('t'));
    const { pool } = poolOf({ server });
    await pool.control('server')!.drain('graceful');
    pool.start();
    await setImmediate();
    expect(pool.servers()).toMatchObject([{ state: 'drained' }]);
    expect(server.launched).toEqual([]);
    await pool.control('server')!.reconnect('graceful');
    await statusOf(pool, 'server', is('ready'));
  });

  test('waits for the calls in flight, takes no new calls, and then stops the server', async () => {
    const { pool, server, control, begin } = await ready();
    const { outcome, received } = await begin();
    await control.drain('graceful');
    expect(pool.servers()).toMatchObject([{ state: 'draining' }]);
    expect(pool.tools()).toEqual([]);
    expect(await pool.call(callRequest('server__t'))).toEqual({
      type: 'not-sent',
      message: 'server server is draining',
    });
    expect(server.open).toBe(1);
    received.answer(done);
    expect(await outcome).toEqual({ type: 'result', result: done });
    await statusOf(pool, 'server', is('drained'));
    expect(server.open).toBe(0);
  });

  test('stops an idle server at once, until it is reconnected', async () => {
    const { pool, clock, server, control } = await ready();
    await control.drain('graceful');
    expect(pool.servers()).toMatchObject([{ state: 'drained' }]);
    expect(clock.waits).toEqual([]);
    expect(server.open).toBe(0);
    await control.drain('graceful');
    await control.reconnect('graceful');
    await statusOf(pool, 'server', is('ready'));
    expect(server.launches).toBe(2);
  });

  test('with mode now loses the calls in flight', async () => {
    const { pool, server, control, begin } = await ready();
    const { outcome, received } = await begin();
    await control.drain('now');
    expect(pool.servers()).toMatchObject([{ state: 'drained' }]);
    expect(server.open).toBe(0);
    received.answer(done);
    await outcome;
  });

  test('does not restart a server that exits meanwhile', async () => {
    const { pool, clock, server, control, begin } = await ready();
    const { outcome } = await begin();
    await control.drain('graceful');
    server.crash();
    expect(await outcome).toMatchObject({ type: 'lost' });
    await statusOf(pool, 'server', is('drained'));
    expect(clock.waits).toEqual([]);
  });

  test('stops a connection attempt and the delay before the next attempt', async () => {
    const hanging = new FakeServer(toolNamed('t'));
    hanging.launchPlan.push('hang', new Error('no'));
    const { pool, clock, control } = fixtureOf(hanging);
    await vi.waitFor(() => expect(hanging.launches).toBe(1), { interval: 1, timeout: 10_000 });
    await control.drain('graceful');
    expect(pool.servers()).toMatchObject([{ state: 'drained' }]);
    await control.reconnect('graceful');
    await statusOf(pool, 'server', is('failed'));
    await control.drain('graceful');
    expect(clock.waits).toEqual([]);
    expect(pool.servers()).toMatchObject([{ state: 'drained' }]);
    expect(hanging.open).toBe(0);
  });
});

describe('reconnecting', () => {
  test('waits for the calls in flight, and takes new calls when the server is back', async () => {
    const { pool, server, control, begin } = await ready();
    const { outcome, received } = await begin();
    await control.reconnect('graceful');
    expect(pool.servers()).toMatchObject([{ state: 'draining' }]);
    expect(server.launches).toBe(1);
    received.answer(done);
    await outcome;
    expect(await statusOf(pool, 'server', is('ready'))).toMatchObject({ restarts: 1, pid: 4002 });
    const next = await begin();
    next.received.answer(done);
    expect(await next.outcome).toMatchObject({ type: 'result' });
    expect(server.open).toBe(1);
  });

  test('with mode now does not wait for the calls in flight', async () => {
    const { pool, server, control, begin } = await ready();
    const { outcome, received } = await begin();
    await control.reconnect('now');
    expect(
      await statusOf(pool, 'server', ({ state, pid }) => state === 'ready' && pid === 4002),
    ).toMatchObject({ restarts: 1 });
    expect(server.open).toBe(1);
    received.answer(done);
    await outcome;
  });

  test('connects a failed server at once, and resets its retry delay', async () => {
    const server = new FakeServer(toolNamed('t'));
    server.launchPlan.push(new Error('no'), new Error('no'), new Error('no'));
    const { pool, clock, control } = fixtureOf(server);
    await statusOf(pool, 'server', is('failed'));
    clock.advance(1000);
    await vi.waitFor(() => expect(clock.waits).toEqual([2000]), { interval: 1, timeout: 10_000 });
    await control.reconnect('graceful');
    expect(clock.waits).toEqual([]);
    await vi.waitFor(() => expect(clock.waits).toEqual([1000]), { interval: 1, timeout: 10_000 });
    await control.reconnect('graceful');
    await statusOf(pool, 'server', is('ready'));
    expect(server.open).toBe(1);
  });

  test('keeps a hanging attempt, or with mode now replaces it', async () => {
    const server = new FakeServer(toolNamed('t'));
    server.launchPlan.push('hang');
    const { pool, control } = fixtureOf(server);
    await vi.waitFor(() => expect(server.launches).toBe(1), { interval: 1, timeout: 10_000 });
    await control.reconnect('graceful');
    expect(server.launches).toBe(1);
    await control.reconnect('now');
    await statusOf(pool, 'server', is('ready'));
    expect([server.launches, server.open]).toEqual([2, 1]);
  });

  test('requested repeatedly leaves one connection', async () => {
    const { pool, server, control } = await ready();
    for (let time = 0; time < 20; time++)
      await control.reconnect(time % 3 === 0 ? 'graceful' : 'now');
    await statusOf(pool, 'server', is('ready'));
    expect(server.open).toBe(1);
    await pool.close();
    expect(server.open).toBe(0);
  });

  test('connects no server after the pool was closed', async () => {
    const { pool, server, control } = await ready();
    await pool.close();
    await control.reconnect('now');
    await control.drain('now');
    expect(pool.servers()).toMatchObject([{ state: 'closed' }]);
    expect(server.launches).toBe(1);
  });
});

describe('roots', () => {
  const question = { signal: new AbortController().signal, meta: {} };

  test('come from the configuration until they are changed, and the server is notified', async () => {
    const { pool, server, control } = await ready({ roots: ['/a'] });
    expect(pool.servers()).toMatchObject([{ roots: ['/a'] }]);
    await control.setRoots(['/b', '/c d']);
    expect(server.rootsNotifications).toBe(1);
    expect(await server.options.handlers.listRoots!(question)).toEqual([
      { uri: 'file:///b', name: 'b' },
      { uri: 'file:///c%20d', name: 'c d' },
    ]);
    expect(pool.servers()).toMatchObject([{ roots: ['/b', '/c d'] }]);
    expect(server.launches).toBe(1);
  });

  test('can be removed', async () => {
    const { server, control } = await ready({ roots: ['/a'] });
    await control.setRoots([]);
    expect(await server.options.handlers.listRoots!(question)).toEqual([]);
    expect([server.rootsNotifications, server.launches]).toEqual([1, 1]);
  });

  test('of a server without roots take a new connection, when no call is in flight', async () => {
    const { pool, server, control, begin } = await ready();
    const { outcome, received } = await begin();
    await control.setRoots(['/a']);
    expect([server.rootsNotifications, server.launches]).toEqual([0, 1]);
    received.answer(done);
    await outcome;
    await statusOf(pool, 'server', ({ state, pid }) => state === 'ready' && pid === 4002);
    expect(await server.options.handlers.listRoots!(question)).toEqual([
      { uri: 'file:///a', name: 'a' },
    ]);
  });

  test('that are set while the server is disconnected apply from its next start', async () => {
    const { pool, clock, server, control } = await ready();
    server.crash();
    await statusOf(pool, 'server', is('failed'));
    await control.setRoots(['/a']);
    clock.advance(1000);
    await statusOf(pool, 'server', is('ready'));
    expect(await server.options.handlers.listRoots!(question)).toHaveLength(1);
  });
});
