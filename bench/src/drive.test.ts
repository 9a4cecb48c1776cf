import { expect, test } from 'vitest';
import { drive } from './drive.ts';

test('drive keeps so many calls in flight and makes so many in all', async () => {
  let made = 0;
  let inFlight = 0;
  let most = 0;
  await drive(20, 3, async () => {
    made += 1;
    inFlight += 1;
    most = Math.max(most, inFlight);
    await Promise.resolve();
    inFlight -= 1;
  });
  expect({ made, most }).toEqual({ made: 20, most: 3 });
});
