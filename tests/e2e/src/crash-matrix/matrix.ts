/** Effect of a call, which decides how the service recovers when the response is lost. */
export type Kind = 'read-only' | 'idempotent' | 'write' | 'asking' | 'task';

export const toolOf: { readonly [K in Kind]: string } = {
  'read-only': 'look',
  idempotent: 'set',
  write: 'append',
  asking: 'ask',
  task: 'work',
};

const KINDS = Object.keys(toolOf) as readonly Kind[];

/** The process that is killed, and the point of the run at which it is killed. */
export type Killing =
  | {
      readonly process: 'agent';
      readonly at: string;
      /** Point of an earlier kill, whose recovery the kill at `at` interrupts. */
      readonly firstAt?: string;
    }
  | {
      readonly process: 'server';
      readonly at: 'before-effect' | 'after-effect' | 'while-asked' | 'while-working';
    };

export interface Cell {
  readonly kind: Kind;
  readonly killing: Killing;
  /** Whether a person must be asked for the outcome: only where it is unknown and repeating the call may do harm. */
  readonly asksPerson: boolean;
  /** Whether the run is cancelled during the call. */
  readonly cancels?: true;
  /** Status at the end. Default: `completed`. */
  readonly endsAs?: 'cancelled';
  /** Whether the first model call after the tool call fails and is retried. */
  readonly modelFails?: true;
}

/** Points between the sending of the call and the commit of its result. */
const SENT = [
  'after-dispatch-call-commit',
  'before-tool-send',
  'during-tool-call',
  'after-tool-result',
  'before-settle-call-commit',
];
const ALWAYS = ['create-run', 'begin-turn', 'finish-turn', 'dispatch-call', 'settle-call'].flatMap(
  aroundCommit,
);
const COMMON = [
  ...ALWAYS,
  'before-model-call',
  'after-model-call',
  'before-tool-send',
  'during-tool-call',
  'after-tool-result',
];
const ROUND = ['keep-round', 'ask-person', 'take-answer', 'deliver-answer', 'resume-call'].flatMap(
  aroundCommit,
);
const TASK = aroundCommit('keep-task');

/** Points that a call of each kind passes, and the points after which its outcome is unknown. */
const POINTS: {
  readonly [K in Kind]: {
    readonly points: readonly string[];
    readonly unknown: readonly string[];
    readonly firstAt: string;
    readonly firstIsUnknown: boolean;
  };
} = {
  'read-only': { points: COMMON, unknown: [], firstAt: 'during-tool-call', firstIsUnknown: false },
  idempotent: { points: COMMON, unknown: [], firstAt: 'during-tool-call', firstIsUnknown: false },
  write: { points: COMMON, unknown: SENT, firstAt: 'during-tool-call', firstIsUnknown: true },
  // Parked between the commit of the round and the next send.
  asking: {
    points: [...COMMON, ...ROUND],
    unknown: [...SENT, 'before-keep-round-commit', 'after-resume-call-commit'],
    firstAt: 'after-ask-person-commit',
    firstIsUnknown: false,
  },
  // The server continues a task, and returns its result to each client that requests it.
  task: {
    points: [...COMMON.filter((point) => point !== 'during-tool-call'), ...TASK],
    unknown: ['after-dispatch-call-commit', 'before-tool-send', 'before-keep-task-commit'],
    firstAt: 'after-keep-task-commit',
    firstIsUnknown: false,
  },
};

const agentCells: readonly Cell[] = KINDS.flatMap((kind) => {
  const { points, unknown, firstAt, firstIsUnknown } = POINTS[kind];
  return [
    ...points.map((at): Cell => ({
      kind,
      killing: { process: 'agent', at },
      asksPerson: unknown.includes(at),
    })),
    ...aroundCommit('recover-run').map((at): Cell => ({
      kind,
      killing: { process: 'agent', at, firstAt },
      asksPerson: firstIsUnknown,
    })),
  ];
});

const cancelCells: readonly Cell[] = [
  {
    kind: 'write',
    killing: { process: 'agent', at: 'before-cancel-run-commit' },
    asksPerson: true,
    cancels: true,
  },
  {
    kind: 'write',
    killing: { process: 'agent', at: 'after-cancel-run-commit' },
    asksPerson: false,
    cancels: true,
    endsAs: 'cancelled',
  },
  {
    kind: 'read-only',
    killing: { process: 'agent', at: 'before-cancel-run-commit' },
    asksPerson: false,
    cancels: true,
  },
  {
    kind: 'read-only',
    killing: { process: 'agent', at: 'after-cancel-run-commit' },
    asksPerson: false,
    cancels: true,
    endsAs: 'cancelled',
  },
];

/** The kill before and after the commit of a failed attempt, and around the claim of the next one. */
const modelCells: readonly Cell[] = [
  ...aroundCommit('stop-turn').map((at) => ({ process: 'agent' as const, at })),
  ...aroundCommit('begin-turn').map((at) => ({
    process: 'agent' as const,
    at,
    firstAt: 'after-stop-turn-commit',
  })),
].map((killing): Cell => ({ kind: 'write', killing, asksPerson: false, modelFails: true }));

const serverCells: readonly Cell[] = [
  ...KINDS.flatMap((kind) =>
    (['before-effect', 'after-effect'] as const).map((at): Cell => ({
      kind,
      killing: { process: 'server', at },
      asksPerson: kind !== 'read-only' && kind !== 'idempotent',
    })),
  ),
  { kind: 'asking', killing: { process: 'server', at: 'while-asked' }, asksPerson: false },
  // The server keeps its tasks in memory.
  { kind: 'task', killing: { process: 'server', at: 'while-working' }, asksPerson: true },
];

/** Every kind of call × every point that it passes. */
export const matrix: readonly Cell[] = [
  ...agentCells,
  ...cancelCells,
  ...modelCells,
  ...serverCells,
];

/** Whether the point is meant after the effect of the call. On a slow machine a call that asks passes it before as well, while it is parked. */
export function needsEffect(kind: Kind, at: string): boolean {
  return kind === 'asking' && at === 'during-tool-call';
}

export function nameOf({ kind, killing }: Cell): string {
  const before = 'firstAt' in killing ? ` after ${killing.firstAt}` : '';
  return `${kind}: the ${killing.process} is killed ${killing.at}${before}`;
}

function aroundCommit(step: string): readonly string[] {
  return [`before-${step}-commit`, `after-${step}-commit`];
}
