import { matrix, type Cell, type Kind } from './matrix.ts';

/** Disturbance of all processes: none; lost signals; clocks a minute apart; jobs more than once; jobs in another order. */
export type Conditions = 'calm' | 'lossy' | 'skewed' | 'repeated' | 'shuffled';

/** A cell with an API process and at least two workers. */
export interface FleetCell extends Cell {
  /** Kill one process at the point, then all other workers as well, or freeze one for longer than its lease. */
  readonly fault: 'one-killed' | 'all-killed' | 'frozen' | 'none';
  readonly conditions: Conditions;
  /** Whether the lease takes its 6 seconds. Otherwise the test ends it at once. */
  readonly hasRealLease?: true;
}

const AGENT = matrix.filter(({ killing }) => killing.process === 'agent');

/** Steps of an API process. The workers and their calls live on. */
const API_STEPS = ['create-run', 'take-answer', 'cancel-run'];

export function isApiPoint(at: string): boolean {
  return API_STEPS.some((step) => at.endsWith(`-${step}-commit`));
}

const inFleet =
  (more: Omit<FleetCell, keyof Cell>) =>
  (cell: Cell): FleetCell => ({
    ...cell,
    ...more,
    ...(isApiPoint(cell.killing.at) ? { asksPerson: false } : {}),
    // Whichever process dies, another API process cancels the run.
    ...(cell.cancels === true ? { endsAs: 'cancelled' } : {}),
  });

const calm = { conditions: 'calm' } as const;

/** Every point at which a process may be killed; another worker continues. */
const oneKilled = AGENT.map(inFleet({ ...calm, fault: 'one-killed' }));

/** The point after which most of a call is unknown, for each kind of call. */
const MAIN: { readonly [K in Kind]: string } = {
  'read-only': 'during-tool-call',
  idempotent: 'during-tool-call',
  write: 'during-tool-call',
  asking: 'after-ask-person-commit',
  task: 'after-keep-task-commit',
};

const isMain = ({ kind, killing, modelFails }: Cell): boolean =>
  modelFails !== true && !('firstAt' in killing) && killing.at === MAIN[kind];

const main = AGENT.filter(isMain);

/** Points of a worker, each once for a write, and those that only other kinds of calls have. */
const frozen = AGENT.filter(
  ({ kind, killing: { at, ...killing }, cancels, modelFails }) =>
    cancels !== true &&
    !('firstAt' in killing) &&
    !isApiPoint(at) &&
    (kind === 'write' ||
      (modelFails !== true && isOwnPoint(kind, at)) ||
      at === 'before-settle-call-commit'),
);

function isOwnPoint(kind: Kind, at: string): boolean {
  return (
    !matrix.some((cell) => cell.kind === 'write' && cell.killing.at === at) && kind !== 'write'
  );
}

const disturbed = (['lossy', 'skewed', 'repeated', 'shuffled'] as const).flatMap((conditions) => [
  ...main.map(inFleet({ conditions, fault: 'none' })).map((cell) => ({
    ...cell,
    asksPerson: false,
  })),
  ...main.map(inFleet({ conditions, fault: 'one-killed' })),
]);

/** Every cell with several processes. */
export const fleetMatrix: readonly FleetCell[] = [
  ...oneKilled,
  ...main.map(inFleet({ ...calm, fault: 'all-killed' })),
  ...frozen.map(inFleet({ ...calm, fault: 'frozen' })),
  ...frozen
    .filter(({ killing }) => killing.at === 'before-settle-call-commit')
    .map(inFleet({ ...calm, fault: 'frozen', hasRealLease: true })),
  ...main.map(inFleet({ ...calm, fault: 'one-killed', hasRealLease: true })),
  ...disturbed,
];

const CONDITIONS: { readonly [C in Conditions]: string } = {
  calm: '',
  lossy: 'lost signals, ',
  skewed: 'clocks a minute apart, ',
  repeated: 'duplicate jobs, ',
  shuffled: 'jobs out of order, ',
};

export function nameOfFleetCell(cell: FleetCell): string {
  const { kind, killing, fault, conditions, hasRealLease } = cell;
  const before = 'firstAt' in killing ? ` after ${killing.firstAt}` : '';
  const who = isApiPoint(killing.at) ? 'one of two API processes' : 'one of several workers';
  const what = {
    'one-killed': `${who} is killed ${killing.at}${before}`,
    'all-killed': `both workers are killed ${killing.at}${before}`,
    frozen: `${who} is frozen ${killing.at}${before}`,
    none: 'nothing is killed',
  }[fault];
  return `${CONDITIONS[conditions]}${kind}: ${what}${hasRealLease === true ? ', with a lease of 6 s' : ''}`;
}
