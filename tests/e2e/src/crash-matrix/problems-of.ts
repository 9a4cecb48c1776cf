import { slowness } from '../support/slowness.ts';
import type { Cell } from './matrix.ts';
import type { CellResult } from './run-cell.ts';

/** Longest time from the restart after SIGKILL to the end of the run, on a quiet machine. */
const RECOVERY_LIMIT_MS = 10_000;

/** Returns the differences between the result and what the cell requires, one sentence each. */
export function problemsOf(cell: Cell, result: CellResult): readonly string[] {
  const { status, effects, asksPerson, wasKilled, isContinuous, recoveryMs } = result;
  const { isStreamed = true, lateEvents = [] } = result;
  const { kind } = cell;
  const isRepeatable = kind === 'read-only' || kind === 'idempotent';
  const { endsAs: wanted = 'completed' } = cell;
  return [
    ...(wasKilled ? [] : ['the process was not killed at the point']),
    ...(status === wanted ? [] : [`the run is ${status}, not ${wanted}`]),
    ...(effects === 1 || (effects === 2 && isRepeatable) ? [] : [`${effects} effects`]),
    ...(asksPerson === cell.asksPerson
      ? []
      : [asksPerson ? 'a person was asked' : 'nobody was asked']),
    ...(isContinuous ? [] : ['events are missing or duplicated']),
    ...(isStreamed ? [] : ['the stream did not reach the end of the run']),
    ...lateEvents.map((type) => `the frozen worker stored ${type}`),
    // The machine is measured only where that decides: it takes as long as a start of the service.
    ...(recoveryMs <= RECOVERY_LIMIT_MS || recoveryMs <= RECOVERY_LIMIT_MS * slowness()
      ? []
      : [`recovery took ${(recoveryMs / 1000).toFixed(1)} s`]),
  ];
}
