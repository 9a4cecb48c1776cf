import { describe, expect, test } from 'vitest';
import { RateBudget } from './rate-budget.ts';

const { signal } = new AbortController();

/** A budget with the limits, whose pauses advance a manual clock. */
function setUp(...limits: ConstructorParameters<typeof RateBudget>[0]) {
  const clock = { now: 0 };
  const pauses: number[] = [];
  const budget = new RateBudget(limits, {
    now: () => clock.now,
    random: () => 0.5,
    pause: async (ms) => {
      pauses.push(ms);
      clock.now += ms;
    },
  });
  return { budget, clock, pauses };
}

describe('RateBudget', () => {
  test('allows at most nine tenths of a limit in any period', async () => {
    const { budget, clock } = setUp({ calls: 600, periodMs: 60_000 });
    const spentAt: number[] = [];
    for (; clock.now < 300_000; clock.now += 50) {
      const isAllowed = await budget.take(1, { signal }).then(
        () => true,
        () => false,
      );
      if (isAllowed) spentAt.push(clock.now);
    }
    expect(spentAt.length).toBeGreaterThan(1000);
    for (const start of spentAt)
      expect(spentAt.filter((at) => at >= start && at < start + 60_000).length).toBeLessThanOrEqual(
        541,
      );
  });

  test('fails with the time to wait when that is more than two seconds', async () => {
    const { budget, pauses } = setUp({ calls: 600, periodMs: 60_000 });
    budget.spend(300);
    await budget.take(8, { signal });
    expect(pauses).toEqual([2000]);
    budget.spend(100);
    await expect(budget.take(1, { signal })).rejects.toMatchObject({
      code: 'rate-limited',
      details: { retryAfterSeconds: 26 },
    });
  });

  test('lets a patient request wait, and leaves calls to the others', async () => {
    const { budget, pauses } = setUp({ calls: 600, periodMs: 60_000 });
    budget.spend(300);
    await budget.take(20, { isPatient: true, signal });
    expect(pauses.reduce((sum, ms) => sum + ms, 0)).toBe(10_000);
    await budget.take(20, { signal });
    expect(pauses).toHaveLength(1);
  });

  test('lets a request through that is heavier than the burst, when the bucket is full', async () => {
    const { budget } = setUp({ calls: 10, periodMs: 60_000 });
    await budget.take(50, { isPatient: true, signal });
    await expect(budget.take(1, { signal })).rejects.toMatchObject({ code: 'rate-limited' });
  });

  test('has no limit without limits', async () => {
    const { budget, pauses } = setUp();
    await budget.take(1_000_000, { signal });
    await budget.take(1_000_000, { isPatient: true, signal });
    expect(pauses).toEqual([]);
  });
});
