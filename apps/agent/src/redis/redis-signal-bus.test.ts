import { afterAll, describe, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { signalBusContract } from '../ports/signal-bus.contract.ts';
import type { Signal, SignalBus } from '../ports/signal-bus.ts';
import type { RunEvent } from '../ports/store/run-event.ts';
import { createRedisSignalBus, MAX_MESSAGE_CHARACTERS } from './redis-signal-bus.ts';
import { hasRedis } from './testing/redis-server.ts';
import { connectProcess, openRedisWorld, type RedisWorld } from './testing/redis-world.ts';
import { startTcpProxy } from './testing/tcp-proxy.ts';

const cancel = (runId: string): Signal => ({ type: 'cancel', runId });

describe.skipIf(!hasRedis)('signal bus on Redis', () => {
  let world: RedisWorld;
  let prefixes = 0;
  beforeAll(async () => {
    world = await openRedisWorld();
  });
  afterAll(() => world.close());

  async function openBus(prefix: string, url = world.server.url): Promise<SignalBus> {
    const { channels } = await connectProcess(url, prefix);
    return createRedisSignalBus(channels);
  }

  /** Buses of two processes. */
  async function openPair(): Promise<readonly [SignalBus, SignalBus]> {
    prefixes += 1;
    return [await openBus(`bus-${prefixes}`), await openBus(`bus-${prefixes}`)];
  }

  signalBusContract('Redis, one process', async () => ({
    bus: (await openPair())[0],
    settle: () => world.settle(),
  }));

  signalBusContract('Redis, published by another process', async () => {
    const [one, two] = await openPair();
    return {
      bus: {
        publish: (signal) => one.publish(signal),
        subscribe: (topic, listener) => two.subscribe(topic, listener),
      },
      settle: () => world.settle(),
    };
  });

  test('a signal reaches each listener once, in every process that is subscribed, in the order of its publisher', async () => {
    const [one, two] = await openPair();
    const received: string[] = [];
    for (const [name, bus] of Object.entries({ one, two }))
      bus.subscribe('cancels', (signal) => received.push(`${name} ${JSON.stringify(signal)}`));
    const other: Signal[] = [];
    two.subscribe('servers', (signal) => other.push(signal));
    await world.settle();
    for (const id of ['a', 'b']) one.publish(cancel(id));
    await world.settle();
    const of = (name: string): string[] => received.filter((each) => each.startsWith(name));
    for (const name of ['one', 'two'])
      expect(of(name)).toEqual(['a', 'b'].map((id) => `${name} ${JSON.stringify(cancel(id))}`));
    expect(other).toEqual([]);
  });

  test('events that are too long for a message are left out, and a delta that is too long is not sent', async () => {
    const [one, two] = await openPair();
    const received: Signal[] = [];
    two.subscribe('run:a', (signal) => received.push(signal));
    await world.settle();
    const text = 'x'.repeat(MAX_MESSAGE_CHARACTERS);
    const events = [{ data: { text } }] as unknown as readonly RunEvent[];
    one.publish({ type: 'events', runId: 'a', lastSeq: 7, events });
    one.publish({ type: 'delta', runId: 'a', messageId: 'm', kind: 'text', offset: 0, text });
    await world.settle();
    expect(received).toEqual([{ type: 'events', runId: 'a', lastSeq: 7 }]);
  });

  test('a service with another prefix or database hears nothing', async () => {
    const received: Signal[] = [];
    const one = await openBus('first');
    (await openBus('second')).subscribe('cancels', (signal) => received.push(signal));
    await world.settle();
    one.publish(cancel('a'));
    await world.settle();
    expect(received).toEqual([]);
  });

  test('after a cut connection signals arrive again, and publishing meanwhile harms nobody', async () => {
    const proxy = await startTcpProxy(world.server.port);
    onTestFinished(() => proxy.close());
    const url = `redis://127.0.0.1:${proxy.port}`;
    const [one, two] = [await openBus('cut', url), await openBus('cut', url)];
    const received: Signal[] = [];
    two.subscribe('cancels', (signal) => received.push(signal));
    await world.settle();
    proxy.cut();
    await vi.waitFor(() => expect(proxy.connections).toBe(0));
    one.publish(cancel('lost'));
    two.publish(cancel('own'));
    expect(received).toEqual([cancel('own')]);
    proxy.mend();
    await vi.waitFor(
      () => {
        one.publish(cancel('again'));
        expect(received).toContainEqual(cancel('again'));
      },
      { timeout: 10_000, interval: 50 },
    );
    expect(received).not.toContainEqual(cancel('lost'));
  });
});
