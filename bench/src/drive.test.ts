import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
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

test('no call is begun after the limit', async () => {
  const { made } = await drive({ total: 1000, inFlight: 2, limitMs: 5 }, () => delay(20));
  expect(made).toBe(2);
});
