import { readFileSync, globSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A line of the referee's judgment. */
interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly description: string;
  readonly errorMessage?: string;
}

/** Outcome of a scenario. */
export interface Outcome {
  readonly scenario: string;
  /** Faults that the referee found, including warnings; empty when the scenario passed. */
  readonly complaints: readonly string[];
}

/** Prefix of scenarios some of which require the client to stop with an error. */
const MAY_FAIL = 'auth/';

const FOLDER = /^(?:server-)?(?<scenario>.+)-\d{4}-\d\d-\d\dT[\dZ-]+$/u;

/**
 * Reads the files that the referee wrote for each scenario.
 * @throws Error when a folder is not named after a scenario or a scenario occurs twice.
 */
export function readOutcomes(results: string): ReadonlyMap<string, Outcome> {
  const outcomes = new Map<string, Outcome>();
  for (const file of globSync('**/checks.json', { cwd: results })) {
    const scenario = FOLDER.exec(dirname(file))?.groups?.['scenario'];
    if (scenario === undefined || outcomes.has(scenario))
      throw new Error(
        `The referee's results have a folder that was not expected: ${dirname(file)}`,
      );
    const checks = JSON.parse(readFileSync(join(results, file), 'utf8')) as readonly Check[];
    const stderr = scenario.startsWith(MAY_FAIL)
      ? ''
      : wordsOf(join(results, dirname(file), 'stderr.txt'));
    outcomes.set(scenario, { scenario, complaints: complaintsOf(checks, stderr) });
  }
  return outcomes;
}

function complaintsOf(checks: readonly Check[], stderr: string): readonly string[] {
  const wrong = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
  const told = wrong.map(
    ({ id, status, description, errorMessage }) =>
      `${status} ${id}: ${errorMessage ?? description}`,
  );
  if (checks.length === 0) told.push('no check was made');
  if (stderr !== '') told.push(`the client said: ${stderr}`);
  return told;
}

/** Returns the stderr of a client that ended with an error; servers have no such file. */
function wordsOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}
