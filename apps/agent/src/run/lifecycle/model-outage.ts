import type { LlmError, LlmErrorKind } from '../../ports/llm-provider.ts';
import type { Run, RunError } from '../../ports/store/run.ts';
import type { Change } from '../core/commits.ts';
import type { Uses } from '../core/engine-parts.ts';
import { overBudget } from '../limits/budget.ts';
import { wallClockDeadline } from '../limits/limits.ts';

/** Status reason of a run that waits for its model. */
const MODEL_UNAVAILABLE = 'model_unavailable';

/** The fields of a run whose model answers again. */
export const NO_OUTAGE = {
  statusReason: undefined,
  modelOutage: undefined,
  retryAt: undefined,
} as const;

/** Kinds of failure that go away without a change to the request, the key or the account. */
const TRANSIENT: ReadonlySet<LlmErrorKind> = new Set(['rate', 'overloaded', 'timeout', 'network']);

/**
 * Maximum number of attempts of a turn with unreadable responses. A failing proxy may recover; a
 * wrong base URL does not.
 */
const MAX_PROTOCOL_ATTEMPTS = 3;

const BASE_DELAY_MS = 2_000;
const MAX_DELAY_MS = 300_000;
const MIN_DELAY_MS = 1_000;

/**
 * Maximum milliseconds added to the wait that the provider requested, so that waiting runs do not
 * all retry at once.
 */
const RETRY_AFTER_JITTER_MS = 5_000;

/** Maximum length of the stored reason of a failure, in characters. */
const MAX_MESSAGE_CHARACTERS = 2_000;

const NOT_IMPLEMENTED = 501;

export interface Attempt {
  /** Failed attempts in a row, this one included. */
  readonly attempts: number;
  readonly error: LlmError;
  readonly now: number;
  /** Time after which no attempt is made. */
  readonly deadline: number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** Whether another attempt of the same model call can succeed. */
export function isTransient({ kind, status }: LlmError, attempts: number): boolean {
  if (kind === 'protocol') return attempts < MAX_PROTOCOL_ATTEMPTS;
  return TRANSIENT.has(kind) && status !== NOT_IMPLEMENTED;
}

/**
 * Returns the time of the next attempt: a random delay of up to 2 s, 4 s, 8 s and so on, at most 5
 * minutes and at most half of the time until the deadline, and no earlier than the provider
 * requests. Undefined when the provider requests a time beyond the deadline.
 */
export function nextAttemptAt({
  attempts,
  error,
  now,
  deadline,
  random,
}: Attempt): number | undefined {
  const leftMs = deadline - now;
  const backoffMs = Math.max(
    MIN_DELAY_MS,
    Math.min(random() * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (attempts - 1)), leftMs / 2),
  );
  const askedMs = error.retryAfterMs ?? 0;
  if (askedMs >= leftMs) return undefined;
  const jitterMs = askedMs === 0 ? 0 : random() * RETRY_AFTER_JITTER_MS;
  // The store holds whole milliseconds.
  return now + Math.ceil(Math.min(leftMs, Math.max(backoffMs, askedMs + jitterMs)));
}

/** Whether the next attempt of the run's model call is not due yet. */
export function waitsForModel(
  { clock }: Uses<'clock'>,
  { retryAt }: Pick<Run, 'retryAt'>,
): boolean {
  return retryAt !== undefined && retryAt > clock.now();
}

interface FailedTurn {
  readonly turn: number;
  readonly messageId: string;
  readonly error: LlmError;
}

/** The end of a run whose model call failed. */
export interface ModelFailure {
  readonly error: RunError;
  readonly reason?: string;
  /** Error of the model call, when the run ends for another reason. */
  readonly callError?: RunError;
}

/** Lets the run wait for its model: the text of the attempt is void, and the same turn begins again. Returns the end of a run that cannot wait. */
export async function waitForModel(
  context: Uses<'clock' | 'random' | 'sweep'>,
  change: Change,
  { turn, messageId, error }: FailedTurn,
): Promise<ModelFailure | undefined> {
  const { clock, random, sweep } = context;
  const run = await change.sql.runCore(change.runId);
  const failure = { code: `llm_${error.kind}`, message: shortened(error.message) };
  if (run === undefined) return { error: failure };
  const now = clock.now();
  const attempts = (run.modelOutage?.attempts ?? 0) + 1;
  if (!isTransient(error, attempts)) return { error: failure };
  const spent = overBudget(run);
  if (spent !== undefined)
    return {
      error: { code: 'limit_exceeded', message: spent.message },
      reason: spent.reason,
      callError: failure,
    };
  const since = run.modelOutage?.since ?? now;
  const { modelOutageMs = Infinity } = run.limits;
  const deadline = Math.min(wallClockDeadline(run), since + modelOutageMs);
  const next = nextAttemptAt({ attempts, error, now, deadline, random });
  if (next === undefined) {
    const end =
      deadline < wallClockDeadline(run)
        ? `The limit of ${modelOutageMs} ms for an outage of the model`
        : 'The wall clock of the run';
    return {
      error: {
        ...failure,
        message: `${failure.message} ${end} ends before another attempt. Resume the run later.`,
      },
    };
  }
  const modelOutage = {
    since,
    attempts,
    nextAttemptAt: next,
    error: failure,
  };
  await change.sql.updateRun(run.id, {
    statusReason: MODEL_UNAVAILABLE,
    modelOutage,
    retryAt: next,
  });
  const nextAttempt = new Date(next).toISOString();
  change.emit({
    type: 'turn.failed',
    data: {
      turn,
      message_id: messageId,
      error: failure,
      retryable: true,
      attempt: attempts,
      next_attempt_at: nextAttempt,
    },
  });
  change.afterCommit(() => sweep.wakeAt(next));
  return undefined;
}

function shortened(message: string): string {
  return message.length <= MAX_MESSAGE_CHARACTERS
    ? message
    : `${message.slice(0, MAX_MESSAGE_CHARACTERS)}…`;
}
