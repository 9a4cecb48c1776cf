import { expect, test } from 'vitest';
import { growthPerRunKb, soak } from './soak.ts';

/** Runs between two samples. */
const EVERY = 40;
/** Runs that fill caches and warm V8; they are not judged. */
const WARM_RUNS = 5 * EVERY;
const RUNS = 7 * EVERY;
const JUDGED_RUNS = RUNS - WARM_RUNS;
const ALLOWED_KB_PER_RUN = 8;
const LEAK_KB_PER_RUN = 16;

test('runs with the demo servers leak no memory of the service, and a leak of 16 KB per run is detected', async () => {
  const leakBytes = JUDGED_RUNS * LEAK_KB_PER_RUN * 1024;
  const samples = await soak({ runs: RUNS, every: EVERY, leakBytes });
  const [warm, clean, leaking] = [samples[4], samples.at(-2), samples.at(-1)];
  if (warm === undefined || clean === undefined || leaking === undefined)
    throw new Error('a sample is missing');
  expect([warm, clean, leaking].map(({ runs }) => runs)).toEqual([WARM_RUNS, RUNS, RUNS]);
  expect(growthPerRunKb(warm, clean)).toBeLessThan(ALLOWED_KB_PER_RUN);
  expect(growthPerRunKb(warm, leaking)).toBeGreaterThan(ALLOWED_KB_PER_RUN);
});
