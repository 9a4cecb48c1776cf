import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ExpiryTimer } from './expiry-timer.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('an expiry timer', () => {
  test('expires 200,000 keys', () => {
    let expired = 0;
    const timer = new ExpiryTimer(Date.now, () => {
      expired += 1;
    });
    const now = Date.now();
    for (let key = 0; key < 200_000; key += 1) timer.add(String(key), now + 1 + (key % 7));
    vi.advanceTimersByTime(3);
    expect(expired).toBeGreaterThan(0);
    vi.advanceTimersByTime(10);
    expect([expired, timer.size]).toEqual([200_000, 0]);
  });

  test('expires keys in the order of their times, despite deletions and replacements', () => {
    const expired: string[] = [];
    const timer = new ExpiryTimer(Date.now, (key) => expired.push(key));
    const now = Date.now();
    const times = new Map<string, number>();
    let seed = 7;
    for (let step = 0; step < 3000; step += 1) {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      const key = String((seed >> 8) % 400);
      if (seed % 3 === 0) {
        timer.delete(key);
        times.delete(key);
      } else {
        const time = now + 1 + ((seed >> 4) % 1000);
        timer.add(key, time);
        times.set(key, time);
      }
    }
    vi.advanceTimersByTime(1001);
    expect(expired.map((key) => times.get(key))).toEqual(
      [...times.values()].toSorted((a, b) => a - b),
    );
    expect(new Set(expired)).toEqual(new Set(times.keys()));
  });

  test('removes a deleted key and then has no timer', () => {
    const onExpired = vi.fn<(key: string) => void>();
    const timer = new ExpiryTimer(Date.now, onExpired);
    timer.add('a', Date.now() + 10);
    timer.delete('a');
    timer.delete('unknown');
    expect([timer.size, vi.getTimerCount()]).toEqual([0, 0]);
    vi.advanceTimersByTime(20);
    expect(onExpired).not.toHaveBeenCalled();
  });

  test('never expires a key whose time is Infinity', () => {
    const timer = new ExpiryTimer(Date.now, () => undefined);
    timer.add('a', Infinity);
    expect([timer.size, vi.getTimerCount()]).toEqual([0, 0]);
  });
});
