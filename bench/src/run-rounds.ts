import { Results } from './results.ts';
import type { Run } from './runs.ts';

/**
 * Makes every run in turn, round after round, so that other load on the machine hits all of them.
 * @param onRun called before each run with the run and the number of its round
 * @throws the error of a run
 */
export async function runRounds(
  runs: readonly Run[],
  rounds: number,
  onRun: (run: Run, round: number) => void,
): Promise<Results> {
  const results = new Results();
  for (let round = 1; round <= rounds; round += 1) {
    for (const run of runs) {
      onRun(run, round);
      for (const [table, figures] of Object.entries(await run.measure()))
        results.add(run, table, figures);
    }
  }
  return results;
}
