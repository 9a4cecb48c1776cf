import { expect, test } from 'vitest';
import { growthPerRunKb, soak } from './soak.ts';

/** Runs between two samples. The runs before the first sample fill caches. */
const EVERY = 40;
const ALLOWED_KB_PER_RUN = 8;
const LEAK_KB_PER_RUN = 16;

test('runs with the demo servers leak no memory of the service, and a leak of 16 KB per run is detected', async () => {
  const leak = { bytes: EVERY * LEAK_KB_PER_RUN * 1024, atRuns: 4 * EVERY };
  const [warm, , clean, leaking] = await soak({ runs: 4 * EVERY, every: EVERY, leak });
  if (warm === undefined || clean === undefined || leaking === undefined)
    throw new Error('a sample is missing');
  expect(growthPerRunKb(warm, clean)).toBeLessThan(ALLOWED_KB_PER_RUN);
  expect(growthPerRunKb(clean, leaking)).toBeGreaterThan(ALLOWED_KB_PER_RUN);
});
