import { HEARTBEAT_EVERY_MS, LeaseLostError } from '../../ports/store/worker.ts';
import { EngineError } from '../../ports/run-engine.ts';
import type { Clock } from '../../ports/clock.ts';
import { storedEvents, type RunEvent } from '../../ports/store/run-event.ts';
import type { Store, StoreTransaction } from '../../ports/store.ts';
import type { SignalBus } from '../../ports/signal-bus.ts';
import type { CommitStep, CrashPoint } from '../../ports/test-hooks.ts';
import { announceEvents } from './announce-events.ts';
import { auditOf } from './audit.ts';
import type { RunEventBody, RunEventType } from './events.ts';

/** A transaction on one run: its rows and the events that describe them. */
export interface Change {
  readonly runId: string;
  readonly sql: StoreTransaction;
  /** Adds events, in order, to those written with this transaction. */
  readonly emit: (...events: readonly RunEventBody[]) => void;
  /**
   * Runs an effect after the commit and the publication of its events, in order of registration.
   */
  readonly afterCommit: (effect: () => void) => void;
  /** Runs work at the end of the transaction, after its events are written. */
  readonly beforeCommit: (work: () => Promise<void>) => void;
  /** Reconciles the run at the end of this transaction even if no event requires it. */
  readonly recheck: () => void;
  /** Notes that a call of the run stays planned, so that a running run goes on with it. */
  readonly goesOn: () => void;
}

/** Returns the error of work that is requested after the engine was closed. */
export function shutdownError(): EngineError {
  return new EngineError(
    'shutting_down',
    'The service is shutting down. Try again when it is back.',
  );
}

/**
 * Whether an error means only that this process stopped the work, because the engine was closed or
 * its lease was lost. Another worker, or the next start, continues the work.
 */
export function isHandedOver(error: unknown): boolean {
  return (
    error instanceof LeaseLostError ||
    (error instanceof EngineError && error.code === 'shutting_down')
  );
}

export interface CommitHooks {
  readonly clock: Clock;
  readonly crashPoint: (point: CrashPoint) => void;
  /**
   * Called as the last step of a transaction with events after which a run may begin or stop
   * waiting. May emit more events. `isBusy`: the transaction leaves a planned call.
   */
  readonly reconcile: (change: Change, isBusy: boolean) => Promise<void>;
  /** Receives the events of each commit. */
  readonly onEvents: EventListener;
  /** Creates the ids of webhook deliveries, in order of creation. */
  readonly newId: () => string;
  /** Called after a commit that stored webhook deliveries. */
  readonly onAnnounced?: (() => void) | undefined;
  /**
   * Called when a change is refused because this worker has lost its lease. Absent for a process
   * that owns no work and needs no lease.
   */
  readonly onLeaseLost?: (error: LeaseLostError) => void;
}

/** Receives the events of a commit. Must not throw. */
export type EventListener = (runId: string, events: readonly RunEventBody[]) => void;

/** Transactions of client requests, which the store writes first. */
const REQUESTS: ReadonlySet<CommitStep> = new Set(['create-run', 'cancel-run', 'take-answer']);

/** Events of turns, calls and inbox items after which a run may begin or stop waiting. */
const MOVING_EVENTS: ReadonlySet<RunEventType> = new Set([
  'run.cancelling',
  'turn.completed',
  'turn.cancelled',
  'tool_call.planned',
  'tool_call.approval_required',
  'tool_call.approved',
  'tool_call.working',
  'tool_call.input_required',
  'tool_call.resumed',
  'tool_call.retrying',
  'tool_call.completed',
  'tool_call.failed',
  'tool_call.cancelled',
  'tool_call.outcome_unknown',
  'inbox.opened',
  'inbox.answered',
  'inbox.delivered',
  'inbox.void',
  'inbox.expired',
]);

/** Commits changes and publishes their events on the bus. */
export class Commits {
  readonly #store: Store;
  readonly #bus: SignalBus;
  readonly #pending = new Set<Promise<unknown>>();
  readonly #hooks: CommitHooks;
  #closed = false;

  constructor(store: Store, bus: SignalBus, hooks: CommitHooks) {
    this.#store = store;
    this.#bus = bus;
    this.#hooks = hooks;
  }

  /**
   * Commits the changes of `work` to a run, under the locks of the run and of its thread. A new run
   * has no row to lock and names its thread. `work` may run again after a rollback; only the events
   * and effects of its last run count.
   * @throws EngineError `shutting_down` after `close`; LeaseLostError when this worker has ended
   */
  async commit<T>(
    runId: string,
    work: (change: Change) => Promise<T>,
    step?: CommitStep,
    threadId?: string,
  ): Promise<T> {
    if (this.#closed) throw shutdownError();
    const { workerId, isShared } = this.#store;
    const isFenced = isShared && this.#hooks.onLeaseLost !== undefined;
    if (step !== undefined) this.#hooks.crashPoint(`before-${step}-commit`);
    const written = this.#store.write(
      threadId === undefined ? { run: runId } : { run: runId, thread: threadId },
      // The store may run this again after a rollback, so it collects everything anew.
      async (sql) => {
        const events: RunEventBody[] = [];
        const effects: (() => void)[] = [];
        const lastWork: (() => Promise<void>)[] = [];
        const state = { isRecheck: false, isBusy: false };
        const change: Change = {
          runId,
          sql,
          emit: (...more) => events.push(...more),
          afterCommit: (effect) => effects.push(effect),
          beforeCommit: (last) => lastWork.push(last),
          recheck: () => {
            state.isRecheck = true;
          },
          goesOn: () => {
            state.isBusy = true;
          },
        };
        const begunAt = this.#hooks.clock.now();
        if (isFenced && !(await sql.hasLease(workerId))) throw new LeaseLostError(workerId);
        const result = await work(change);
        if (state.isRecheck || events.some(({ type }) => MOVING_EVENTS.has(type)))
          await this.#hooks.reconcile(change, state.isBusy);
        await sql.appendAudit(await auditOf(sql, runId, events));
        const stored = events.length === 0 ? undefined : await this.#append(change, events);
        const { newId, onAnnounced } = this.#hooks;
        if (stored !== undefined && (await announceEvents(sql, stored.events, newId)))
          effects.push(() => onAnnounced?.());
        for (const last of lastWork) await last();
        if (isFenced && !(await this.#keptLease(sql, workerId, begunAt)))
          throw new LeaseLostError(workerId);
        return { result, events, effects, stored };
      },
      { urgent: step !== undefined && REQUESTS.has(step) },
    );
    this.#pending.add(written);
    try {
      const { result, events, effects, stored } = await written;
      if (step !== undefined) this.#hooks.crashPoint(`after-${step}-commit`);
      this.#hooks.onEvents(runId, events);
      if (stored !== undefined) this.#bus.publish({ type: 'events', runId, ...stored });
      for (const effect of effects) effect();
      return result;
    } catch (error) {
      if (error instanceof LeaseLostError) this.#hooks.onLeaseLost?.(error);
      throw error;
    } finally {
      this.#pending.delete(written);
    }
  }

  /**
   * Whether the lease was not lost during a transaction. PostgreSQL lets other workers end this one
   * meanwhile: then it may have joined again, or it was stopped within the transaction.
   */
  async #keptLease(sql: StoreTransaction, workerId: string, begunAt: number): Promise<boolean> {
    if (this.#store.workerId !== workerId) return false;
    const isShort = this.#hooks.clock.now() - begunAt < HEARTBEAT_EVERY_MS;
    return isShort || sql.hasLease(workerId);
  }

  async #append(
    { sql, runId }: Change,
    events: readonly RunEventBody[],
  ): Promise<{ readonly lastSeq: number; readonly events: readonly RunEvent[] }> {
    const at = this.#hooks.clock.now();
    const lastSeq = await sql.append(runId, events, at);
    return { lastSeq, events: storedEvents(events, { runId, lastSeq, at }) };
  }

  /** Rejects further changes and resolves when those in progress have ended. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#pending);
  }
}
