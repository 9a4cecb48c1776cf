// npm run soak: 2,000 runs over the three servers; the memory after a collection must be the same after 500 runs and after the last.
import { growthPerRunKb, soak } from './soak.ts';

const RUNS = 2000;
const EVERY = 250;
/** Allowed growth between the 500th run and the last. */
const ALLOWED_KB_PER_RUN = 1;

const samples = await soak({
  runs: RUNS,
  every: EVERY,
  onSample: ({ runs, usedMb, residentMb }) =>
    void process.stdout.write(
      `${runs} runs: ${usedMb.toFixed(1)} MB used, ${residentMb.toFixed(0)} MB resident\n`,
    ),
});
const from = samples.find(({ runs }) => runs === 500);
const to = samples.at(-1);
if (from === undefined || to === undefined)
  throw new Error('there is no sample after 500 runs or after the last');
const perRun = growthPerRunKb(from, to);
process.stdout.write(
  `\n${perRun.toFixed(2)} KB of growth per run between the 500th and the last (at most ${ALLOWED_KB_PER_RUN})\n`,
);
process.exit(perRun <= ALLOWED_KB_PER_RUN ? 0 : 1);
