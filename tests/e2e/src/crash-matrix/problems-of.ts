import type { Cell } from './matrix.ts';
import type { CellResult } from './run-cell.ts';

/** From the start of a process after kill -9 to the end of the run. */
const RECOVERY_LIMIT_MS = 10_000;

/** What is not as it must be. */
export function problemsOf(
  cell: Cell,
  { status, effects, asksPerson, wasKilled, isContinuous, recoveryMs }: CellResult,
): readonly string[] {
  const { kind, killing } = cell;
  const isRepeatable = kind === 'read-only' || kind === 'idempotent';
  const wanted = killing.at === 'after-cancel-run-commit' ? 'cancelled' : 'completed';
  return [
    ...(wasKilled ? [] : ['the process was not killed there']),
    ...(status === wanted ? [] : [`the run is ${status}, not ${wanted}`]),
    ...(effects === 1 || (effects === 2 && isRepeatable) ? [] : [`${effects} effects`]),
    ...(asksPerson === cell.asksPerson
      ? []
      : [asksPerson ? 'a person was asked' : 'nobody was asked']),
    ...(isContinuous ? [] : ['events are missing or twice']),
    ...(recoveryMs <= RECOVERY_LIMIT_MS
      ? []
      : [`recovery took ${(recoveryMs / 1000).toFixed(1)} s`]),
  ];
}
