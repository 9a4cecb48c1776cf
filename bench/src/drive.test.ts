import { expect, onTestFinished, test, vi } from 'vitest';
import { drive } from './drive.ts';

test('so many calls are kept in flight and so many are made in all', async () => {
  let inFlight = 0;
  let most = 0;
  const { made } = await drive({ total: 20, inFlight: 3 }, async () => {
    inFlight += 1;
    most = Math.max(most, inFlight);
    await Promise.resolve();
    inFlight -= 1;
  });
  expect({ made, most }).toEqual({ made: 20, most: 3 });
});

test('no call starts after the limit', async () => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => void vi.restoreAllMocks());
  const { made } = await drive({ total: 1000, inFlight: 2, limitMs: 7 }, () => {
    now += 5;
    return Promise.resolve();
  });
  expect(made).toBe(2);
});
