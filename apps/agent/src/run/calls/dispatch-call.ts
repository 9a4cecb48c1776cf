import { DamagedRowError, StorageError } from '../../ports/store/errors.ts';
import { LeaseLostError } from '../../ports/store/worker.ts';
import type { RunCore } from '../../ports/store/run.ts';
import type { ToolCall } from '../../ports/store/tool-call.ts';
import type { CallWaiting } from '../../ports/tool-catalogue.ts';
import type {
  CallReservation,
  ToolCallOutcome,
  ToolCallRequest,
} from '../../ports/tool-dispatcher.ts';
import { isAbandoned, type CallActivity } from '../core/activities.ts';
import { decideSend } from '../approvals/approvals.ts';
import { isAwaitingLogin } from './await-login.ts';
import { passCallRate } from './call-rate.ts';
import { timeLeft } from './call-time.ts';
import { dispatchCall, moveCall } from '../ledger/call-states.ts';
import { isHandedOver, type Change } from '../core/commits.ts';
import { countFailure, logFailure } from './count-failure.ts';
import { completeElicitation } from '../input/complete-elicitation.ts';
import { inBackground, STORE_RETRY_MS, type EngineParts, type Uses } from '../core/engine-parts.ts';
import { storeWaiting } from './store-waiting.ts';
import { isParked, storeTask, StoredInputRounds } from './parked-calls.ts';
import { ProgressLog } from './progress-log.ts';
import { MAX_INPUT_REQUESTS, MAX_REFUSED_INPUT_REQUESTS } from '../input/input-request-count.ts';
import { inputRequestHandlers } from './input-request-handlers.ts';
import { failDamagedCall } from './fail-damaged-run.ts';
import { stopsOf } from './call-stops.ts';
import { serverConnected } from './servers-ready.ts';
import { settleCall, skipAttempt, type CallEnd } from './settle-call.ts';

type Parts = Uses<
  | 'store'
  | 'workerId'
  | 'enqueue'
  | 'bus'
  | 'watch'
  | 'dispatcher'
  | 'llm'
  | 'clock'
  | 'logger'
  | 'newId'
  | 'crashPoint'
  | 'policyOf'
  | 'recovery'
  | 'activities'
  | 'failedRuns'
  | 'commit'
  | 'closing'
  | 'sweep'
  | 'callsPerMinute'
>;

/** Failed writes of a result before an error is stored in its place. */
const MAX_RESULT_TRIES = 5;

const UNSTORABLE: End = {
  outcome: {
    type: 'error',
    message:
      'The server answered, but the answer could not be stored; the log of the service says why.',
  },
  progress: undefined,
};

const NOT_SENT: End = {
  outcome: {
    type: 'not-sent',
    message: 'The service failed before the call was sent; its log says why.',
  },
  progress: undefined,
};

const TOO_MANY_INPUT_REQUESTS = `The server sent ${MAX_INPUT_REQUESTS} input requests during the call, and ${MAX_REFUSED_INPUT_REQUESTS} more that were rejected. The call was cancelled, and whether it took effect is not known.`;

/** A call that this process sends. Its attempt is committed before the first byte. */
export interface Dispatched {
  readonly run: RunCore;
  readonly call: ToolCall;
  readonly activity: CallActivity;
  /** Milliseconds that are left of the time limit of the call. */
  readonly maxTotalMs: number;
}

/**
 * Sends a planned call, or continues a parked one, and stores how it ended. Resolves when the call
 * has ended, when it waits for room on its server or for a person (it then continues without
 * occupying a job), or when the engine closes.
 */
export async function runCallJob(context: EngineParts, callId: string): Promise<void> {
  const begun = await beginCall(context, callId);
  if (begun === undefined) return;
  const { activity } = begun;
  const ended = performCall(context, begun).finally(() => activity.end());
  await Promise.race([ended, activity.parked]);
}

/** A call that has a slot of its server. */
interface Begun {
  readonly call: ToolCall;
  readonly activity: CallActivity;
  /** Limit of the run; undefined when it was not read. */
  readonly callMaxMs: number | undefined;
}

/** Takes a slot of the server for a call that this worker may begin. Returns undefined for others. */
async function beginCall(context: EngineParts, callId: string): Promise<Begun | undefined> {
  const { activities, closing, handToOwner, known } = context;
  try {
    const planned = known.takeCall(callId);
    const call = planned?.call ?? (await readCall(context, callId));
    if (call === undefined || (call.state !== 'planned' && !isParked(call))) return undefined;
    if (closing.aborted || (await handToOwner?.(call)) === true) return undefined;
    if (!activities.hasRoom(call)) return undefined;
    return { call, activity: activities.beginCall(call), callMaxMs: planned?.callMaxMs };
  } finally {
    // Otherwise the slot that was reserved for a call that does not begin would stay reserved.
    activities.forgo(callId);
  }
}

/** Reads a call. When its row is damaged, ends the call and its run, and returns undefined. */
async function readCall(context: EngineParts, id: string): Promise<ToolCall | undefined> {
  const { read } = context.store;
  try {
    return await read.toolCall(id);
  } catch (error) {
    if (!(error instanceof DamagedRowError)) throw error;
    const runId = await read.runOfCall(id);
    if (runId !== undefined) await failDamagedCall(context, { id, runId }, error);
    return undefined;
  }
}

async function performCall(
  context: EngineParts,
  { call: planned, activity, callMaxMs }: Begun,
): Promise<void> {
  try {
    const signal = AbortSignal.any([activity.signal, context.closing]);
    await serverConnected(context.dispatcher, planned.server, {
      clock: context.clock,
      signal,
    });
    const reservation = await reserve(context, { call: planned, activity, callMaxMs, signal });
    try {
      const dispatched =
        planned.state === 'planned'
          ? await dispatch(context, planned, activity)
          : await takeOver(context, planned, activity);
      if (dispatched !== undefined)
        await settle(context, dispatched, await sendCall(context, dispatched, reservation));
    } finally {
      reservation.release();
    }
  } catch (error) {
    if (isHandedOver(error)) return;
    // It may be unknown whether the call was stored as sent by this worker.
    context.failedRuns.add(planned.runId);
    logFailure(context, planned, error);
    await countFailure(context, planned, error);
  }
}

/** Waits for a connection to the call's server. Changes no row, because nothing is sent yet. */
async function reserve(
  context: Uses<'store' | 'workerId' | 'dispatcher' | 'logger' | 'commit'>,
  { call, activity, callMaxMs, signal }: Begun & { readonly signal: AbortSignal },
): Promise<CallReservation> {
  const { store, dispatcher } = context;
  const maxTotalMs = callMaxMs ?? (await store.read.runCore(call.runId))?.limits.callMaxMs ?? 0;
  const resumeFrom = resumePointOf(call);
  return dispatcher.reserve({
    wireName: call.wireName,
    runId: call.runId,
    callId: call.id,
    signal,
    maxTotalMs,
    onWaiting: onWaiting(context, call, activity),
    ...(resumeFrom === undefined ? {} : { resumeFrom }),
  });
}

function onWaiting(
  context: Uses<'workerId' | 'logger' | 'commit'>,
  call: ToolCall,
  activity: CallActivity,
): (waiting: CallWaiting) => void {
  return (waiting) => {
    activity.park();
    inBackground(context, 'storing that a call waits', storeWaiting(context, call, waiting));
  };
}

async function dispatch(
  context: Parts,
  planned: ToolCall,
  activity: CallActivity,
): Promise<Dispatched | undefined> {
  const { workerId, commit, closing } = context;
  if (closing.aborted || isAbandoned(activity)) return undefined;
  return commit(
    planned.runId,
    async (change) => {
      const [run, call] = await Promise.all([
        change.sql.runCore(planned.runId),
        // Read again, because a person may have changed the arguments.
        change.sql.toolCall(planned.id),
      ]);
      if (run?.status !== 'running' && run?.status !== 'input_required') return undefined;
      if (call?.state !== 'planned' || call.attempt !== planned.attempt) return undefined;
      if (await isAwaitingLogin(context, change.sql, call)) return undefined;
      const decision = await decideSend(context, change, { run, call });
      if (decision.type === 'not-sent')
        await skipAttempt(context, change, { call, message: decision.reason });
      if (decision.type !== 'send') return undefined;
      if (!(await passCallRate(context, change, call))) return undefined;
      const maxTotalMs = await timeLeftOf(context, change, { run, call });
      const dispatched = await dispatchCall(context, change, call, workerId);
      return dispatched && { run, call: dispatched, activity, maxTotalMs };
    },
    'dispatch-call',
  );
}

/** Claims a call that was sent before. Its row has everything that is needed to continue it. */
async function takeOver(
  context: Uses<'workerId' | 'commit' | 'closing' | 'clock'>,
  parked: ToolCall,
  activity: CallActivity,
): Promise<Dispatched | undefined> {
  const { workerId, closing, commit } = context;
  if (closing.aborted || isAbandoned(activity)) return undefined;
  return commit(parked.runId, async (change) => {
    const { sql } = change;
    const [run, call] = await Promise.all([sql.runCore(parked.runId), sql.toolCall(parked.id)]);
    const isFree = call?.owner === undefined || call.owner === workerId;
    if (run === undefined || call?.attempt !== parked.attempt || !isFree || !isParked(call))
      return undefined;
    if (!(await moveCall(sql, call, { transition: 'claim', owner: workerId }))) return undefined;
    const maxTotalMs = await timeLeftOf(context, change, { run, call });
    return { run, call: { ...call, owner: workerId }, activity, maxTotalMs };
  });
}

/** Returns the time limit of an attempt: what is left of that of the call, and at least a millisecond. */
async function timeLeftOf(
  context: Uses<'clock'>,
  change: Change,
  { run, call }: Pick<Dispatched, 'run' | 'call'>,
): Promise<number> {
  return Math.max(1, await timeLeft(context, change, { call, limitMs: run.limits.callMaxMs }));
}

type End = Omit<CallEnd, 'call'>;

/**
 * Checks that this worker still has its lease. It can lose the lease after it stored the call as
 * sent, for example while the process is paused.
 * @throws LeaseLostError
 */
async function checkLease({ store, workerId }: Uses<'store' | 'workerId'>): Promise<void> {
  if (store.isShared && !(await store.read.hasLease(workerId))) throw new LeaseLostError(workerId);
}

async function sendCall(
  context: Parts,
  dispatched: Dispatched,
  reservation: CallReservation,
): Promise<End> {
  const { run, call, activity, maxTotalMs } = dispatched;
  context.crashPoint('before-tool-send');
  try {
    await checkLease(context);
  } catch (error) {
    if (isHandedOver(error)) throw error;
    logFailure(context, call, error);
    return NOT_SENT;
  }
  const progress = new ProgressLog(context, call);
  const rounds = new StoredInputRounds(context, call);
  let storingTask = Promise.resolve();
  const tooMany = new AbortController();
  const task = { isStored: call.taskId !== undefined };
  const { signal, abandoned } = stopsOf(activity, task);
  const resumeFrom = resumePointOf(call);
  const sent = reservation.call({
    wireName: call.wireName,
    arguments: call.arguments,
    runId: run.id,
    callId: call.id,
    idempotencyKey: call.idempotencyKey,
    signal: AbortSignal.any([signal, tooMany.signal]),
    inactivityMs: run.limits.callInactivityMs,
    maxTotalMs,
    onProgress: (update) => progress.add(update),
    onWaiting: onWaiting(context, call, activity),
    inputHandlers: inputRequestHandlers(context, dispatched, {
      rounds,
      onTooMany: () => tooMany.abort(),
    }),
    onElicitationComplete: (elicitationId) =>
      inBackground(
        context,
        'storing that an elicitation by URL is complete',
        completeElicitation(context, call, elicitationId),
      ),
    rounds,
    onTask: (taskId) => {
      activity.park();
      task.isStored = true;
      storingTask = storingTask.then(() => storeTask(context, call, taskId));
    },
    ...(resumeFrom === undefined ? {} : { resumeFrom }),
  });
  // A task of a run that is being cancelled is claimed only to cancel it.
  if (run.status === 'cancelling') context.activities.stopRun(run.id);
  if (call.cancelRequestedAt !== undefined) context.activities.stopCall(call.id);
  const ended = sent.catch((error: unknown): ToolCallOutcome => {
    logFailure(context, call, error);
    return {
      type: 'lost',
      message: 'The service failed while the call was under way; its log says why.',
    };
  });
  const outcome = await Promise.race([ended, abandoned]);
  context.crashPoint('after-tool-result');
  await storingTask;
  const isEndedForInputRequests =
    tooMany.signal.aborted && !activity.signal.aborted && outcome.type === 'cancelled';
  return {
    outcome: isEndedForInputRequests ? tooManyInputRequests(context, call) : outcome,
    progress: await progress.close(),
  };
}

/**
 * Returns the outcome of a call that was ended because of too many input requests. A repeatable call is not repeated,
 * because its server would send as many again.
 */
function tooManyInputRequests(context: Uses<'recovery'>, call: ToolCall): ToolCallOutcome {
  return {
    type: context.recovery(call) === 'retry' ? 'error' : 'lost',
    message: TOO_MANY_INPUT_REQUESTS,
  };
}

function resumePointOf({ parked, taskId }: ToolCall): ToolCallRequest['resumeFrom'] {
  if (taskId !== undefined) return { taskId };
  return parked === undefined
    ? undefined
    : {
        inputRequests: parked.inputRequests,
        ...(parked.requestState === undefined ? {} : { requestState: parked.requestState }),
      };
}

/**
 * Stores the outcome of a call, and retries until the store accepts it, because the outcome exists
 * only in memory. Stores an error in place of a result after five failed writes; writes that fail
 * because the database takes none at present are not counted. When a stored value is damaged, ends
 * the call and its run instead.
 */
async function settle(context: EngineParts, dispatched: Dispatched, end: End): Promise<void> {
  let damage: DamagedRowError | undefined;
  for (let tries = 1; ;) {
    try {
      if (damage !== undefined) return await failDamagedCall(context, dispatched.call, damage);
      await storeEnd(
        context,
        dispatched,
        tries <= MAX_RESULT_TRIES || end.outcome.type !== 'result' ? end : UNSTORABLE,
      );
      return;
    } catch (error) {
      if (isHandedOver(error)) return;
      if (damage === undefined && error instanceof DamagedRowError) {
        damage = error;
        continue;
      }
      if (!(error instanceof StorageError)) tries += 1;
      logFailure(context, dispatched.call, error);
      await new Promise<void>((resolve) => void context.clock.after(STORE_RETRY_MS, resolve));
    }
  }
}

function storeEnd(context: Parts, { run, call }: Dispatched, end: End): Promise<void> {
  return context.commit(
    run.id,
    async (change) => {
      await settleCall(context, change, { call, ...end });
    },
    'settle-call',
  );
}
