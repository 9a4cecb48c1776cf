import { fleetMatrix, type FleetCell } from './fleet-cells.ts';
import type { Guard } from './controls.ts';
import { Fleet } from './fleet.ts';
import { problemsOf } from './problems-of.ts';
import type { CellResult } from './run-cell.ts';
import { FrozenWriteError, runFleetCell, scriptOf } from './run-fleet-cell.ts';

export interface Checked {
  readonly cell: FleetCell;
  readonly problems: readonly string[];
  /** Absent when the cell failed with an error. */
  readonly result: CellResult | undefined;
}

export interface CheckOptions {
  /** URL of the server that every worker calls. */
  readonly serverUrl: string;
  /** Guard that is switched off in the workers. Default: none. */
  readonly guardOff?: Guard | undefined;
  /** Attempts to freeze a worker outside a write. Default: 5. */
  readonly tries?: number;
  /** Whether the fleet ends after a cell with these problems, without the other cells. Default: no. */
  readonly isEnough?: (problems: readonly string[]) => boolean;
  /** Called after each cell. */
  readonly onChecked?: (checked: Checked) => void;
}

/** Runs cells one after another in one fleet, which they share; all have the same conditions. */
export async function checkInFleet(
  cells: readonly FleetCell[],
  options: CheckOptions,
): Promise<readonly Checked[]> {
  const { serverUrl, guardOff, onChecked = () => undefined, tries = 5 } = options;
  const { isEnough = () => false } = options;
  const [first] = cells;
  if (first === undefined) return [];
  const fleet = await Fleet.start({
    serverUrl,
    scripts: (folder) => cells.map((cell, index) => scriptOf(cell, index, { folder, guardOff })),
    conditions: first.conditions,
    hasModelServer: first.modelFails === true,
    ...(guardOff === undefined ? {} : { guardOff }),
  });
  const done: Checked[] = [];
  let rest: readonly FleetCell[] = [];
  try {
    for (const [index, cell] of cells.entries()) {
      const checked = await runFleetCell(cell, index, fleet).then(
        (result) => ({ cell, problems: problemsOf(cell, result), result }),
        (error: unknown) =>
          error instanceof FrozenWriteError && tries > 1
            ? checkAgain(cell, { serverUrl, guardOff, tries: tries - 1 })
            : { cell, problems: [String(error)], result: undefined },
      );
      done.push(checked);
      onChecked(checked);
      if (isEnough(checked.problems)) break;
      if (checked.result === undefined) {
        // The run of this cell may go on, and meet the fault of the next cell.
        rest = cells.slice(index + 1);
        break;
      }
    }
  } finally {
    await fleet.stop();
  }
  return [...done, ...(await checkInFleet(rest, options))];
}

/** Runs a cell in a fleet of its own. */
async function checkAgain(cell: FleetCell, options: CheckOptions): Promise<Checked> {
  const [checked] = await checkInFleet([cell], options);
  return checked ?? { cell, problems: ['the cell did not run'], result: undefined };
}

/** Returns groups of cells that can share a fleet, of at most so many cells. */
export function lanesOf(
  cells: readonly FleetCell[] = fleetMatrix,
  size = 12,
): readonly (readonly FleetCell[])[] {
  const groups = Map.groupBy(
    cells,
    ({ conditions, modelFails }) => `${conditions} ${String(modelFails === true)}`,
  );
  return [...groups.values()].flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / size) }, (_, index) =>
      group.slice(index * size, (index + 1) * size),
    ),
  );
}
