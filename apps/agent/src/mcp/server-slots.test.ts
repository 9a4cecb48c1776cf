import { setImmediate } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import type { ToolCallOutcome } from '../ports/tool-dispatcher.ts';
import { FakeServer, type FakeCall } from './testing/fake-server.ts';
import {
  callRequest,
  poolOf,
  serverConfig,
  statusOf,
  toolNamed,
  type PoolFixture,
} from './testing/pool-fixture.ts';

interface Fixture extends PoolFixture {
  readonly server: FakeServer;
  readonly other: FakeServer;
  readonly begin: (
    wireName?: string,
  ) => Promise<{ readonly outcome: Promise<ToolCallOutcome>; readonly received: FakeCall }>;
}

const done = { content: [] };

async function ready(): Promise<Fixture> {
  const server = new FakeServer(toolNamed('t'));
  const other = new FakeServer(toolNamed('t'));
  const added = new FakeServer(toolNamed('t'));
  const fixture = poolOf({ server, other, added });
  fixture.pool.removeServer('added');
  fixture.pool.start();
  await fixture.pool.settled(1000);
  const begin: Fixture['begin'] = async (wireName = 'server__t') => {
    const fake = wireName.startsWith('server') ? server : other;
    const before = fake.calls.length;
    const outcome = fixture.pool.call(callRequest(wireName));
    await vi.waitFor(() => expect(fake.calls.length).toBe(before + 1), {
      interval: 1,
      timeout: 10_000,
    });
    return { outcome, received: fake.calls.at(-1)! };
  };
  return { ...fixture, server, other, begin };
}

const untilReady = (fixture: PoolFixture, name: string): Promise<unknown> =>
  statusOf(fixture.pool, name, ({ state }) => state === 'ready');

const namesIn = ({ pool }: PoolFixture): readonly string[] =>
  pool.servers().map(({ name }) => name);

describe('adding a server', () => {
  test('connects it at once, without a change of the others', async () => {
    const fixture = await ready();
    expect(namesIn(fixture)).toEqual(['server', 'other']);
    fixture.pool.putServer(serverConfig('added'));
    await untilReady(fixture, 'added');
    expect(await fixture.pool.settled(1000)).toBeUndefined();
    expect(fixture.pool.tools().map(({ wireName }) => wireName)).toEqual([
      'added__t',
      'other__t',
      'server__t',
    ]);
    expect([fixture.server.launches, fixture.other.launches]).toEqual([1, 1]);
  });

  test('before the pool starts leaves the connection to the start', async () => {
    const server = new FakeServer(toolNamed('t'));
    const fixture = poolOf({ server });
    fixture.pool.removeServer('server');
    fixture.pool.putServer(serverConfig('server'));
    await setImmediate();
    expect(server.launches).toBe(0);
    fixture.pool.start();
    await untilReady(fixture, 'server');
  });
});

describe('replacing a server', () => {
  test('connects an idle server with its new configuration at once', async () => {
    const fixture = await ready();
    fixture.pool.putServer(serverConfig('server', { args: ['new'] }));
    expect(fixture.server.open).toBe(0);
    await untilReady(fixture, 'server');
    expect(fixture.server.configs).toMatchObject([{ args: [] }, { args: ['new'] }]);
    expect(fixture.pool.servers()[0]).toMatchObject({ name: 'server', restarts: 0 });
    const { outcome, received } = await fixture.begin();
    received.answer(done);
    expect(await outcome).toEqual({ type: 'result', result: done });
  });

  test('waits for the calls in flight and refuses new calls until then', async () => {
    const fixture = await ready();
    const { outcome, received } = await fixture.begin();
    fixture.pool.putServer(serverConfig('server', { args: ['new'] }));
    expect(await fixture.pool.call(callRequest('server__t'))).toEqual({
      type: 'not-sent',
      message: 'server server is draining',
    });
    const { received: meanwhile, outcome: of } = await fixture.begin('other__t');
    meanwhile.answer(done);
    expect(await of).toMatchObject({ type: 'result' });
    expect(fixture.server.launches).toBe(1);
    received.answer(done);
    expect(await outcome).toMatchObject({ type: 'result' });
    await untilReady(fixture, 'server');
    expect(fixture.server.configs).toHaveLength(2);
    expect(fixture.other.launches).toBe(1);
  });

  test('starts the new process only when the earlier one has ended', async () => {
    const fixture = await ready();
    const end = Promise.withResolvers<void>();
    fixture.server.closing = end.promise;
    fixture.pool.putServer(serverConfig('server', { args: ['new'] }));
    await setImmediate();
    expect(fixture.pool.servers()).toMatchObject([{ state: 'connecting' }, {}]);
    expect(fixture.server.launches).toBe(1);
    end.resolve();
    await untilReady(fixture, 'server');
  });

  test('twice during a call uses the last configuration', async () => {
    const fixture = await ready();
    const { received } = await fixture.begin();
    fixture.pool.putServer(serverConfig('server', { args: ['first'] }));
    fixture.pool.putServer(serverConfig('server', { args: ['second'] }));
    received.answer(done);
    await untilReady(fixture, 'server');
    expect(fixture.server.configs.map((config) => 'args' in config && config.args)).toEqual([
      [],
      ['second'],
    ]);
  });

  test('connects a failed server and a drained server', async () => {
    const fixture = await ready();
    fixture.server.launchPlan.push(new Error('broken'));
    fixture.server.crash();
    await statusOf(fixture.pool, 'server', ({ state }) => state === 'failed');
    fixture.server.launchPlan.length = 0;
    fixture.pool.putServer(serverConfig('server', { args: ['new'] }));
    await untilReady(fixture, 'server');
    await fixture.pool.control('other')!.drain('now');
    fixture.pool.putServer(serverConfig('other', { args: ['new'] }));
    await untilReady(fixture, 'other');
    expect([fixture.server.configs.at(-1), fixture.other.configs.at(-1)]).toMatchObject([
      { args: ['new'] },
      { args: ['new'] },
    ]);
  });

  test.each(['graceful', 'now'] as const)(
    'is not undone by a reconnection (%s) during a call',
    async (mode) => {
      const fixture = await ready();
      const { outcome, received } = await fixture.begin();
      fixture.pool.putServer(serverConfig('server', { args: ['new'] }));
      await fixture.pool.control('server')!.reconnect(mode);
      received.answer(done);
      await outcome;
      await untilReady(fixture, 'server');
      await vi.waitFor(() =>
        expect(fixture.server.configs.at(-1)).toMatchObject({ args: ['new'] }),
      );
      await untilReady(fixture, 'server');
      expect(fixture.server.open).toBe(1);
    },
  );

  test('at once is possible by draining the server now', async () => {
    const fixture = await ready();
    const { outcome } = await fixture.begin();
    fixture.pool.putServer(serverConfig('server', { args: ['new'] }));
    await fixture.pool.control('server')!.drain('now');
    await untilReady(fixture, 'server');
    fixture.server.calls.at(-1)!.fail(new Error('gone'));
    await outcome;
    expect(fixture.server.configs).toHaveLength(2);
  });
});

describe('removing a server', () => {
  test('ends it once its calls have ended, and calls are refused with the reason', async () => {
    const fixture = await ready();
    const { outcome, received } = await fixture.begin();
    fixture.pool.removeServer('server');
    expect(fixture.pool.servers()).toMatchObject([{ state: 'draining' }, { name: 'other' }]);
    received.answer(done);
    expect(await outcome).toMatchObject({ type: 'result' });
    await vi.waitFor(() => expect(namesIn(fixture)).toEqual(['other']));
    expect(fixture.server.open).toBe(0);
    expect(await fixture.pool.call(callRequest('server__t'))).toEqual({
      type: 'not-sent',
      message: 'server server was removed',
    });
    expect(fixture.pool.whyNotOffered('never__t')).toBeUndefined();
    expect(fixture.pool.find('server__t')).toBeUndefined();
    expect(fixture.pool.control('server')).toBeUndefined();
    fixture.pool.removeServer('server');
  });

  test('and adding it again during a call keeps the call and connects the new one', async () => {
    const fixture = await ready();
    const { outcome, received } = await fixture.begin();
    fixture.pool.removeServer('server');
    fixture.pool.putServer(serverConfig('server', { args: ['again'] }));
    received.answer(done);
    expect(await outcome).toMatchObject({ type: 'result' });
    await untilReady(fixture, 'server');
    expect(fixture.server.configs.at(-1)).toMatchObject({ args: ['again'] });
  });
});

test('a pool that closes during a replacement ends every process and starts none', async () => {
  const fixture = await ready();
  const { outcome } = await fixture.begin();
  fixture.pool.putServer(serverConfig('server', { args: ['new'] }));
  await fixture.pool.close();
  fixture.server.calls.at(-1)!.fail(new Error('gone'));
  await outcome;
  await setImmediate();
  expect([fixture.server.open, fixture.server.launches]).toEqual([0, 1]);
});
