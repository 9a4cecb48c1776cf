import { expect, test } from 'vitest';
import { growthPerRunKb, soak } from './soak.ts';

/** Runs between two samples. The runs before the first sample fill caches. */
const EVERY = 40;
const RUNS = 3 * EVERY;
const JUDGED_RUNS = RUNS - EVERY;
const ALLOWED_KB_PER_RUN = 8;
const LEAK_KB_PER_RUN = 16;

test('runs with the demo servers leak no memory of the service, and a leak of 16 KB per run is detected', async () => {
  const leakBytes = JUDGED_RUNS * LEAK_KB_PER_RUN * 1024;
  const samples = await soak({ runs: RUNS, every: EVERY, leakBytes });
  const [warm, clean, leaking] = [samples[0], samples.at(-2), samples.at(-1)];
  if (warm === undefined || clean === undefined || leaking === undefined)
    throw new Error('a sample is missing');
  expect([warm, clean, leaking].map(({ runs }) => runs)).toEqual([EVERY, RUNS, RUNS]);
  expect(growthPerRunKb(warm, clean)).toBeLessThan(ALLOWED_KB_PER_RUN);
  expect(growthPerRunKb(warm, leaking)).toBeGreaterThan(ALLOWED_KB_PER_RUN);
});
