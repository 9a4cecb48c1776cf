import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MAX_TIMER_MS } from '../../jsonrpc/bounded-waits.ts';
import { DeadlineTimer } from './deadline-timer.ts';

describe('a deadline timer', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  test('fires once, by the earliest of its deadlines', () => {
    let fired = 0;
    const timer = new DeadlineTimer(() => (fired += 1));
    const now = performance.now();
    for (const inMs of [500, 100, 300]) timer.fireBy(now + inMs);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(99);
    expect(fired).toBe(0);
    vi.advanceTimersByTime(1000);
    expect(fired).toBe(1);
  });

  test('fires early rather than at once when a deadline is further away than timers reach', () => {
    let fired = 0;
    new DeadlineTimer(() => (fired += 1)).fireBy(performance.now() + 2 * MAX_TIMER_MS);
    vi.advanceTimersByTime(MAX_TIMER_MS - 1);
    expect(fired).toBe(0);
    vi.advanceTimersByTime(1);
    expect(fired).toBe(1);
  });

  test('never fires for an infinite deadline, or after it was stopped', () => {
    const timer = new DeadlineTimer(() => {
      throw new Error('fired');
    });
    timer.fireBy(Infinity);
    expect(vi.getTimerCount()).toBe(0);
    timer.fireBy(performance.now() + 10);
    timer.stop();
    expect(vi.getTimerCount()).toBe(0);
  });
});

test('a deadline timer keeps the process alive only while a deadline is pending', () => {
  const waiting = (): number =>
    process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
  const before = waiting();
  const timer = new DeadlineTimer(() => undefined);
  timer.fireBy(performance.now() + 60_000);
  expect(waiting()).toBe(before + 1);
  timer.idle();
  expect(waiting()).toBe(before);
  timer.fireBy(performance.now() + 60_000);
  expect(waiting()).toBe(before + 1);
  timer.stop();
  expect(waiting()).toBe(before);
});
