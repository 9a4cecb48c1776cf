import type { Protection } from '../support/crash-hooks.ts';
import { fleetMatrix, nameOfFleetCell, type FleetCell } from './fleet-cells.ts';
import { nameOf, type Cell } from './matrix.ts';

/** A cell that must fail with the guard switched off. */
export interface Control {
  readonly guard: Guard;
  readonly cell: string;
  /** Number of times that the cell may run until it fails, where the harm depends on chance. Default: 1. */
  readonly tries?: number;
}

/** A protection of the service. The exception is `start`: switched off, the service does not start. */
export type Guard = Exclude<Protection, 'sweep'> | 'start';

const WITHOUT: { readonly [G in Guard]: string } = {
  ledger: 'the rule of the ledger',
  recovery: 'recovery',
  fence: 'the fence of leases and owners',
  claim: 'the claim of a call',
  look: 'looks at the store for lost signals',
  'lease-clock': 'one clock for all leases',
  start: 'a start',
};

/** The problem that the cell must have without the guard. */
const HARM: { readonly [G in Guard]: RegExp } = {
  ledger: /^[2-9] effects$/,
  recovery: /^the run is running, not completed$/,
  fence: /^the frozen worker stored tool_call\.completed$/,
  claim: /^[2-9] effects$/,
  look: /^the stream did not reach the end of the run$/,
  'lease-clock': /^a person was asked$/,
  start: /^the process was not killed at the point$/,
};

/** Contains at least one control for each kind of call, each process that is killed, a kill during recovery, and a cancelled run. */
export const controls: readonly Control[] = [
  // Repeating these calls does no harm, so these controls switch off recovery as a whole.
  { guard: 'recovery', cell: 'read-only: the agent is killed during-tool-call' },
  { guard: 'recovery', cell: 'idempotent: the agent is killed after-settle-call-commit' },
  { guard: 'recovery', cell: 'write: the agent is killed before-begin-turn-commit' },
  { guard: 'recovery', cell: 'write: the agent is killed after-stop-turn-commit' },
  { guard: 'ledger', cell: 'write: the agent is killed during-tool-call' },
  {
    guard: 'ledger',
    cell: 'write: the agent is killed after-recover-run-commit after during-tool-call',
  },
  { guard: 'ledger', cell: 'write: the agent is killed before-cancel-run-commit' },
  { guard: 'ledger', cell: 'write: the server is killed after-effect' },
  { guard: 'ledger', cell: 'asking: the agent is killed during-tool-call' },
  { guard: 'ledger', cell: 'asking: the server is killed after-effect' },
  { guard: 'recovery', cell: 'task: the agent is killed after-keep-task-commit' },
  { guard: 'ledger', cell: 'task: the server is killed after-effect' },
  { guard: 'start', cell: 'write: the agent is killed during-tool-call' },
  {
    guard: 'start',
    cell: 'read-only: the agent is killed before-recover-run-commit after during-tool-call',
  },
];

/** Controls with several processes. */
export const fleetControls: readonly Control[] = [
  { guard: 'fence', cell: 'write: one of several workers is frozen before-settle-call-commit' },
  { guard: 'claim', cell: 'duplicate jobs, write: nothing is killed' },
  { guard: 'claim', cell: 'jobs out of order, write: nothing is killed' },
  // Only the last signal before a pause does harm when it is lost.
  { guard: 'look', cell: 'lost signals, asking: nothing is killed', tries: 6 },
  { guard: 'lease-clock', cell: 'clocks a minute apart, write: nothing is killed' },
  { guard: 'ledger', cell: 'write: one of several workers is killed during-tool-call' },
  { guard: 'ledger', cell: 'write: both workers are killed during-tool-call' },
  { guard: 'recovery', cell: 'read-only: one of several workers is killed during-tool-call' },
];

export function nameOfControl({ guard, cell }: Control): string {
  return `control: without ${WITHOUT[guard]}, ${cell}`;
}

/** Returns the cell of the control. @throws Error when there is none */
export function cellOf({ cell: name }: Control, matrix: readonly Cell[]): Cell {
  return named(name, matrix, nameOf);
}

/** Returns the cell of a control with several processes. @throws Error when there is none */
export function fleetCellOf({ cell: name }: Control): FleetCell {
  return named(name, fleetMatrix, nameOfFleetCell);
}

function named<C>(name: string, cells: readonly C[], nameOfCell: (cell: C) => string): C {
  const found = cells.find((cell) => nameOfCell(cell) === name);
  if (found === undefined) throw new Error(`The crash matrix has no cell "${name}".`);
  return found;
}

/** Whether the cell failed with the problem that the missing guard causes. */
export function didHarm({ guard }: Control, problems: readonly string[]): boolean {
  return problems.some((problem) => HARM[guard].test(problem));
}
