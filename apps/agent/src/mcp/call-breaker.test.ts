import { expect, test } from 'vitest';
import type { BreakerStatus } from '../ports/tool-catalogue.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { CallBreaker } from './call-breaker.ts';

function breakerOf({ random = 0 } = {}): {
  readonly breaker: CallBreaker;
  readonly clock: ManualClock;
  readonly changes: BreakerStatus['state'][];
  readonly fail: (times: number) => void;
} {
  const clock = new ManualClock();
  const changes: BreakerStatus['state'][] = [];
  const breaker = new CallBreaker({
    clock,
    random: () => random,
    onChange: ({ state }) => changes.push(state),
  });
  const fail = (times: number): void => {
    for (let time = 0; time < times; time++) breaker.begin()!.failed();
  };
  return { breaker, clock, changes, fail };
}

test('four consecutive failures let calls through, the fifth opens the breaker', () => {
  const { breaker, clock, changes, fail } = breakerOf();
  fail(4);
  expect(breaker.status).toEqual({ state: 'closed', failures: 4 });
  fail(1);
  expect(breaker.status).toEqual({ state: 'open', failures: 5, opensAgainAt: clock.now() + 1000 });
  expect(breaker.begin()).toBeUndefined();
  expect(changes).toEqual(['open']);
});

test('an answer resets the count of failures', () => {
  const { breaker, fail } = breakerOf();
  fail(4);
  breaker.begin()!.answered();
  fail(4);
  expect(breaker.status).toEqual({ state: 'closed', failures: 4 });
});

test('failures more than a minute apart are not counted together', () => {
  const { breaker, clock, fail } = breakerOf();
  fail(4);
  clock.advance(60_000);
  fail(4);
  expect(breaker.status).toEqual({ state: 'closed', failures: 4 });
  clock.advance(59_999);
  fail(1);
  expect(breaker.status.state).toBe('open');
});

test('after the delay one trial call is sent, and its answer closes the breaker', () => {
  const { breaker, clock, changes, fail } = breakerOf();
  fail(5);
  clock.advance(999);
  expect(breaker.begin()).toBeUndefined();
  clock.advance(1);
  expect(breaker.status.state).toBe('half_open');
  const probe = breaker.begin();
  expect(breaker.begin()).toBeUndefined();
  probe!.answered();
  expect(breaker.status).toEqual({ state: 'closed', failures: 0 });
  expect(breaker.begin()).toBeDefined();
  expect(changes).toEqual(['open', 'closed']);
});

test('delays double from 1 s to 60 s while trial calls fail, and restart at 1 s after an answer', () => {
  const { breaker, clock, fail } = breakerOf();
  const wait = (): number => breaker.status.opensAgainAt! - clock.now();
  fail(5);
  const waits = [wait()];
  for (let probe = 0; probe < 7; probe++) {
    clock.advance(wait());
    fail(1);
    waits.push(wait());
  }
  expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
  clock.advance(60_000);
  breaker.begin()!.answered();
  fail(5);
  expect(wait()).toBe(1000);
});

test('a delay has up to 25 % of jitter, but is never more than 60 s', () => {
  const { breaker, clock, fail } = breakerOf({ random: 1 });
  fail(5);
  expect(breaker.status.opensAgainAt! - clock.now()).toBe(1250);
  for (let probe = 0; probe < 8; probe++) {
    clock.advance(60_000);
    fail(1);
  }
  expect(breaker.status.opensAgainAt! - clock.now()).toBe(60_000);
});

test('a trial call without a verdict is followed by another trial call', () => {
  const { breaker, clock, fail } = breakerOf();
  fail(5);
  clock.advance(1000);
  breaker.begin()!.dropped();
  expect(breaker.status.state).toBe('half_open');
  expect(breaker.begin()).toBeDefined();
});

test('calls sent before the breaker opened cannot extend the delay by a failure, but close the breaker by an answer', () => {
  const { breaker, clock, fail } = breakerOf();
  const [slow, slower] = [breaker.begin()!, breaker.begin()!];
  fail(5);
  slow.failed();
  expect(breaker.status.opensAgainAt).toBe(clock.now() + 1000);
  slower.answered();
  expect(breaker.status.state).toBe('closed');
});

test('the exit of a process is one failure, however many calls are lost', () => {
  const { breaker } = breakerOf();
  const life = {};
  const calls = Array.from({ length: 32 }, () => breaker.begin()!);
  for (const call of calls) call.failed(life);
  expect(breaker.status).toEqual({ state: 'closed', failures: 1 });
  breaker.begin()!.failed({});
  expect(breaker.status.failures).toBe(2);
});

test('only the first verdict about a call counts', () => {
  const { breaker, fail } = breakerOf();
  const call = breaker.begin()!;
  call.answered();
  fail(4);
  call.failed();
  expect(breaker.status.failures).toBe(4);
});

test('reset closes the breaker', () => {
  const { breaker, fail } = breakerOf();
  fail(5);
  breaker.reset();
  expect(breaker.status).toEqual({ state: 'closed', failures: 0 });
});

test('the breaker does not stay open for longer when the clock is set back', () => {
  let now = 1_000_000_000;
  const breaker = new CallBreaker({
    clock: { now: () => now, after: () => () => undefined },
    random: () => 0,
    onChange: () => undefined,
  });
  for (let time = 0; time < 5; time++) breaker.begin()!.failed();
  expect(breaker.begin()).toBeUndefined();
  now -= 86_400_000;
  expect(breaker.status.state).toBe('half_open');
  breaker.begin()!.answered();
  expect(breaker.status.state).toBe('closed');
});
