import { describe, expect, test } from 'vitest';
import { SingleFlightCache } from './single-flight-cache.ts';

const signal = new AbortController().signal;

/** Creates a cache with a manual clock: fresh for 10 s, usable when stale for 60 s, two entries. */
function testCache() {
  const clock = { now: 1_000_000 };
  const cache = new SingleFlightCache<string>({
    now: () => clock.now,
    freshUntil: (storedAt) => storedAt + 10_000,
    staleForMs: 60_000,
    servesStale: (error) => error instanceof Error && error.message === 'outage',
    maxEntries: 2,
  });
  return { cache, clock };
}

const loads = (value: string) => async () => value;
const fails = (message: string) => () => Promise.reject(new Error(message));

describe('SingleFlightCache', () => {
  test('serves a fresh value with its age and does not load', async () => {
    const { cache, clock } = testCache();
    await expect(cache.read('a', loads('one'), { signal })).resolves.toEqual({
      value: 'one',
      cache: { hit: false, ageSeconds: 0, stale: false },
      freshForMs: 10_000,
    });
    clock.now += 9999;
    await expect(cache.read('a', fails('unused'), { signal })).resolves.toEqual({
      value: 'one',
      cache: { hit: true, ageSeconds: 9, stale: false },
      freshForMs: 1,
    });
  });

  test('loads again when the value is no longer fresh', async () => {
    const { cache, clock } = testCache();
    await cache.read('a', loads('one'), { signal });
    clock.now += 10_000;
    await expect(cache.read('a', loads('two'), { signal })).resolves.toMatchObject({
      value: 'two',
      cache: { hit: false },
    });
  });

  test('serves an old value, marked, during an outage and until its limit', async () => {
    const { cache, clock } = testCache();
    await cache.read('a', loads('one'), { signal });
    clock.now += 59_000;
    await expect(cache.read('a', fails('outage'), { signal })).resolves.toEqual({
      value: 'one',
      cache: { hit: true, ageSeconds: 59, stale: true },
      freshForMs: 0,
    });
    clock.now += 1000;
    await expect(cache.read('a', fails('outage'), { signal })).rejects.toThrow('outage');
  });

  test('does not hide other failures behind an old value', async () => {
    const { cache, clock } = testCache();
    await cache.read('a', loads('one'), { signal });
    clock.now += 20_000;
    await expect(cache.read('a', fails('bug'), { signal })).rejects.toThrow('bug');
  });

  test('does not keep failures', async () => {
    const { cache } = testCache();
    await expect(cache.read('a', fails('outage'), { signal })).rejects.toThrow('outage');
    await expect(cache.read('a', loads('one'), { signal })).resolves.toMatchObject({
      value: 'one',
    });
  });

  test('loads once for concurrent readers', async () => {
    const { cache } = testCache();
    let count = 0;
    const load = async () => String((count += 1));
    const readings = await Promise.all(
      Array.from({ length: 10 }, () => cache.read('a', load, { signal })),
    );
    expect(readings.map((reading) => reading.value)).toEqual(Array.from({ length: 10 }, () => '1'));
  });

  test('evicts the least recently read value', async () => {
    const { cache } = testCache();
    await cache.read('a', loads('a1'), { signal });
    await cache.read('b', loads('b1'), { signal });
    await cache.read('a', loads('a2'), { signal });
    await cache.read('c', loads('c1'), { signal });
    await expect(cache.read('a', loads('a2'), { signal })).resolves.toMatchObject({ value: 'a1' });
    await expect(cache.read('b', loads('b2'), { signal })).resolves.toMatchObject({ value: 'b2' });
  });

  test('aborts the load when the last reader aborts, and not before', async () => {
    const { cache } = testCache();
    const seen: AbortSignal[] = [];
    const load = (flight: AbortSignal) =>
      new Promise<string>((_resolve, reject) => {
        seen.push(flight);
        flight.addEventListener('abort', () => reject(flight.reason as Error));
      });
    const [one, two] = [new AbortController(), new AbortController()];
    const readings = [
      cache.read('a', load, { signal: one.signal }),
      cache.read('a', load, { signal: two.signal }),
    ];
    one.abort(new Error('first'));
    await expect(readings[0]).rejects.toThrow('first');
    expect(seen[0]?.aborted).toBe(false);
    two.abort(new Error('second'));
    await expect(readings[1]).rejects.toThrow('second');
    expect(seen[0]?.aborted).toBe(true);
    await expect(cache.read('a', loads('later'), { signal })).resolves.toMatchObject({
      value: 'later',
    });
    expect(seen).toHaveLength(1);
  });

  test('starts a new load for a reader after the abort', async () => {
    const { cache } = testCache();
    const stuck = () => new Promise<string>(() => undefined);
    const controller = new AbortController();
    const abandoned = cache.read('a', stuck, { signal: controller.signal });
    controller.abort(new Error('gone'));
    const next = cache.read('a', loads('fresh'), { signal });
    await expect(abandoned).rejects.toThrow('gone');
    await expect(next).resolves.toMatchObject({ value: 'fresh' });
  });
});
