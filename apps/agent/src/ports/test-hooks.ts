/** Transactions of the engine at which tests may kill the process. */
export const COMMIT_STEPS = [
  'create-run',
  'begin-turn',
  'finish-turn',
  'stop-turn',
  'dispatch-call',
  'keep-round',
  'ask-person',
  'take-answer',
  'deliver-answer',
  'resume-call',
  'keep-task',
  'settle-call',
  'cancel-run',
  'recover-run',
] as const;
export type CommitStep = (typeof COMMIT_STEPS)[number];

const SENDS = [
  'before-model-call',
  'after-model-call',
  'before-tool-send',
  'during-tool-call',
  'after-tool-result',
] as const;

/** Points at which a test may kill the process: before and after each commit and each send. */
export type CrashPoint =
  | (typeof SENDS)[number]
  | `before-${CommitStep}-commit`
  | `after-${CommitStep}-commit`;
export const CRASH_POINTS: readonly CrashPoint[] = [
  ...SENDS,
  ...COMMIT_STEPS.flatMap((step): CrashPoint[] => [
    `before-${step}-commit`,
    `after-${step}-commit`,
  ]),
];

/** Called at each crash point. Does nothing in production. */
export type CrashPoints = (point: CrashPoint) => void;
