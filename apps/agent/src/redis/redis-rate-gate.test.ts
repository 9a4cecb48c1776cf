import { afterAll, describe, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { rateGateContract } from '../ports/rate-gate.contract.ts';
import type { RateGate, RateGates } from '../ports/rate-gate.ts';
import { LEASE_MS } from '../ports/store/worker.ts';
import { systemClock } from '../system/system-clock.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { createRedisRateGates } from './redis-rate-gate.ts';
import { hasRedis } from './testing/redis-server.ts';
import { connectProcess, openRedisWorld, type RedisWorld } from './testing/redis-world.ts';
import { startTcpProxy } from './testing/tcp-proxy.ts';

const NEVER = new AbortController().signal;

describe.skipIf(!hasRedis)('rate gate on Redis', () => {
  let world: RedisWorld;
  let prefixes = 0;
  beforeAll(async () => {
    world = await openRedisWorld();
  });
  afterAll(() => world.close());

  async function openGates(
    prefix: string,
    { clock, width }: { readonly clock: ManualClock; readonly width: number },
  ): Promise<RateGates> {
    const { link, channels } = await connectProcess(world.server.url, prefix);
    return createRedisRateGates({ link, channels, prefix, clock, width, now: () => clock.now() });
  }

  rateGateContract('on Redis', async ({ width }) => {
    prefixes += 1;
    const prefix = `gate-${prefixes}`;
    const clock = new ManualClock();
    return {
      processes: [
        await openGates(prefix, { clock, width }),
        await openGates(prefix, { clock, width }),
      ],
      async advance(ms) {
        // What was requested before is decided before.
        await world.settle();
        clock.advance(ms);
        await world.settle();
      },
    };
  });

  test('the slots of a process that has ended are free after a lease, and those of a process that lives are kept', async () => {
    // Each process has a clock of its own, and the one that ends stands still.
    const [livingClock, endedClock] = [new ManualClock(), new ManualClock()];
    const living = (await openGates('ended', { clock: livingClock, width: 2 })).of('a');
    const ended = (await openGates('ended', { clock: endedClock, width: 2 })).of('a');
    await living.enter({ signal: NEVER });
    await ended.enter({ signal: NEVER });
    const passed: string[] = [];
    for (const call of ['1', '2'])
      void living.enter({ signal: NEVER }).then(() => passed.push(call));
    const waitMs = async (ms: number): Promise<void> => {
      for (let waited = 0; waited < ms; waited += 1000) {
        await world.settle();
        livingClock.advance(1000);
      }
      await world.settle();
    };
    await waitMs(LEASE_MS - 1000);
    expect(passed).toEqual([]);
    await waitMs(3000);
    expect(passed).toEqual(['1']);
  });

  test('without the time of a test, the gates of all processes follow the clock of Redis', async () => {
    const { link, channels } = await connectProcess(world.server.url, 'time');
    const gate = createRedisRateGates({ link, channels, prefix: 'time', clock: systemClock }).of(
      'a',
    );
    const before = performance.now();
    await gate.coolDown(30);
    const slot = await gate.enter({ signal: NEVER });
    expect(performance.now() - before).toBeGreaterThan(20);
    await slot.release();
  });

  test('while Redis does not answer, requests pass by the limits of their own process', async () => {
    const proxy = await startTcpProxy(world.server.port);
    onTestFinished(() => proxy.close());
    const { link, channels } = await connectProcess(`redis://127.0.0.1:${proxy.port}`, 'lost');
    const clock = new ManualClock();
    const gate: RateGate = createRedisRateGates({
      link,
      channels,
      prefix: 'lost',
      clock,
      width: 1,
    }).of('a');
    proxy.cut();
    await vi.waitFor(() => expect(link.isUp()).toBe(false));
    const slot = await gate.enter({ signal: NEVER });
    const passed: string[] = [];
    void gate.enter({ signal: NEVER }).then(() => passed.push('second'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(passed).toEqual([]);
    await slot.release();
    await vi.waitFor(() => expect(passed).toEqual(['second']));
  });
});
