/** What a call does, and so what may become of it when its answer is lost. */
export type Kind = 'read-only' | 'idempotent' | 'write' | 'asking' | 'task';

export const toolOf: { readonly [K in Kind]: string } = {
  'read-only': 'look',
  idempotent: 'set',
  write: 'append',
  asking: 'ask',
  task: 'work',
};

const KINDS = Object.keys(toolOf) as readonly Kind[];

/** Who is killed, and where. */
export type Killing =
  | {
      readonly process: 'agent';
      readonly at: string;
      /** Where it is killed in the life before. */ readonly firstAt?: string;
    }
  | {
      readonly process: 'server';
      readonly at: 'before-effect' | 'after-effect' | 'while-asked' | 'while-working';
    };

export interface Cell {
  readonly kind: Kind;
  readonly killing: Killing;
  /** Whether a person must be asked whether the call took effect: exactly where that cannot be known and repeating it may do harm. */
  readonly asksPerson: boolean;
  /** Whether the run is cancelled during the call. */
  readonly cancels?: true;
}

/** The call was sent, and nothing that came back was stored. */
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

/** The places that a call of the kind passes, and at which of them what it did is unknown afterwards. */
const PLACES: {
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
  // Parked from the kept round until it is sent again.
  asking: {
    points: [...COMMON, ...ROUND],
    unknown: [...SENT, 'before-keep-round-commit', 'after-resume-call-commit'],
    firstAt: 'after-ask-person-commit',
    firstIsUnknown: false,
  },
  // The server goes on with a task, and tells its result to whoever asks for it.
  task: {
    points: [...COMMON.filter((point) => point !== 'during-tool-call'), ...TASK],
    unknown: ['after-dispatch-call-commit', 'before-tool-send', 'before-keep-task-commit'],
    firstAt: 'after-keep-task-commit',
    firstIsUnknown: false,
  },
};

const agentCells: readonly Cell[] = KINDS.flatMap((kind) => {
  const { points, unknown, firstAt, firstIsUnknown } = PLACES[kind];
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
  },
];

const serverCells: readonly Cell[] = [
  ...KINDS.flatMap((kind) =>
    (['before-effect', 'after-effect'] as const).map((at): Cell => ({
      kind,
      killing: { process: 'server', at },
      asksPerson: kind !== 'read-only' && kind !== 'idempotent',
    })),
  ),
  { kind: 'asking', killing: { process: 'server', at: 'while-asked' }, asksPerson: false },
  // The tasks of this server are lost with its process.
  { kind: 'task', killing: { process: 'server', at: 'while-working' }, asksPerson: true },
];

/** Every place × every kind that passes it. */
export const matrix: readonly Cell[] = [...agentCells, ...cancelCells, ...serverCells];

export function nameOf({ kind, killing }: Cell): string {
  const before = 'firstAt' in killing ? ` after ${killing.firstAt}` : '';
  return `${kind}: the ${killing.process} is killed ${killing.at}${before}`;
}

function aroundCommit(step: string): readonly string[] {
  return [`before-${step}-commit`, `after-${step}-commit`];
}
