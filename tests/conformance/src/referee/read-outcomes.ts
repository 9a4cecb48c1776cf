import { readFileSync, globSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** One line of the referee's judgement. */
interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly description: string;
  readonly errorMessage?: string;
}

/** How one scenario ended. */
export interface Outcome {
  readonly scenario: string;
  /** What the referee found wrong, warnings as well; empty when the scenario passed. */
  readonly complaints: readonly string[];
}

/** Among these are scenarios in which a client must refuse to go on. */
const MAY_FAIL = 'auth/';

const FOLDER = /^(?:server-)?(?<scenario>.+)-\d{4}-\d\d-\d\dT[\dZ-]+$/u;

/**
 * Reads the files that the referee wrote for each scenario it could run.
 * @throws Error when a folder is not named after a scenario or a scenario was written twice.
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

/** What a client said on stderr, where it ends with an error; there is no such file for a server. */
function wordsOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}
