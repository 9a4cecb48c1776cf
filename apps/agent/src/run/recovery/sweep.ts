import { DamagedRowError } from '../../ports/store/errors.ts';
import type { StoredDeadline, Retry, UnownedCall } from '../../ports/store/sweep.ts';
import { isHandedOver } from '../core/commits.ts';
import type { EngineParts } from '../core/engine-parts.ts';
import { FailureLog, SubjectFailures } from '../core/failure-log.ts';
import { Lease } from '../core/lease.ts';
import { expireItemIfDue, onWallClock } from '../lifecycle/expiry.ts';
import { failDamagedRun } from '../calls/fail-damaged-run.ts';
import { LostWork } from './lost-work.ts';
import { PagedRead } from './paged-read.ts';
import { recoverRun } from './recover-run.ts';

/** Maximum number of runs or items of each kind in one step of a sweep, without those that failed before. */
const BATCH = 200;

/** Maximum number of pages of due retries in one sweep. */
const RETRY_PAGES = 5;

/** Maximum number of pages of unowned calls in one sweep; many of them may wait for room on their server. */
const CALL_PAGES = 25;

type BatchKind = 'orphans' | 'runDeadlines' | 'inboxDeadlines';

/** A batch of runs, calls or items that need work. */
interface Batch<T> {
  readonly read: (limit: number) => Promise<readonly T[]>;
  /** Returns whether the work succeeded. */
  readonly work: (entry: T) => Promise<boolean>;
}

/** Failures of a step and of its work on single runs. */
interface StepFailures {
  readonly step: FailureLog;
  readonly runs: SubjectFailures;
}

interface Times {
  readonly now: number;
  readonly until: number;
}

/** A step of a sweep. `failures` receives its failures of single runs. */
type Step = (failures: SubjectFailures) => Promise<number | undefined>;

/** Work of every sweep beside that of the engine. */
export interface SweepStep {
  /** Description for the log, such as "sending webhooks". */
  readonly name: string;
  /**
   * Begins the work that is due at `now`. Resolves with the next deadline up to `until`, if there is
   * one; long work continues by itself.
   */
  readonly run: (times: Times) => Promise<number | undefined>;
}

/**
 * Does the work that is due, also when another process stored it: renews the lease of this worker,
 * recovers the runs of ended workers, of failed jobs and of work whose end the database lost, decides about deadlines, and enqueues work without a job. A
 * sweep may run at any time and beside sweeps of other workers, because each step reads its rows again
 * in its own transaction.
 */
export class Sweep {
  readonly #context: EngineParts;
  readonly #lease: Lease;
  readonly #lostWork: LostWork;
  readonly #moreSteps: readonly SweepStep[];
  readonly #retries = new PagedRead<Retry>(RETRY_PAGES);
  readonly #unownedCalls = new PagedRead<UnownedCall>(CALL_PAGES);
  /** Number of runs that failed in the last batch of each kind. */
  readonly #failures = new Map<BatchKind, number>();
  readonly #logs = new Map<string, StepFailures>();

  /** `rejoin` joins again when other workers ended this one. */
  constructor(
    context: EngineParts,
    rejoin: (workerId: string) => Promise<void>,
    moreSteps: readonly SweepStep[] = [],
  ) {
    this.#context = context;
    this.#lease = new Lease({
      store: context.store,
      clock: context.clock,
      logger: context.logger,
      endsOthers: true,
      rejoin,
    });
    this.#lostWork = new LostWork(context);
    this.#moreSteps = moreSteps;
  }

  /**
   * Returns the next deadline up to `until`. A step that fails is tried again by the next sweep; its
   * error is logged when it begins and when it ends.
   */
  async run({ now, until }: Times): Promise<number | undefined> {
    const next: number[] = [];
    const steps: readonly (readonly [string, Step])[] = [
      ['renewing the lease of this worker', () => this.#keepLease()],
      ['recovering the runs of workers that ended', (runs) => this.#recoverOrphans(now, runs)],
      ['recovering the runs of failed jobs', (runs) => this.#recoverFailed(runs)],
      ['recovering runs whose last commits were lost', (runs) => this.#recoverLost(now, runs)],
      ['the wall clocks of runs', (runs) => this.#fire({ now, until }, 'runDeadlines', runs)],
      ['the expiry of inbox items', (runs) => this.#fire({ now, until }, 'inboxDeadlines', runs)],
      ['retrying model calls', () => this.#retryModelCalls({ now, until })],
      ['enqueuing work without a job', () => this.#enqueueIdle(now)],
      ...this.#moreSteps.map(({ name, run }) => [name, () => run({ now, until })] as const),
    ];
    const isClosing = (): boolean => this.#context.closing.aborted;
    for (const [what, step] of steps) {
      if (isClosing()) return undefined;
      const log = this.#logOf(what);
      try {
        const at = await step(log.runs);
        if (at !== undefined) next.push(at);
        // A close ends a step before its last run.
        if (isClosing()) return undefined;
        log.step.succeeded();
        log.runs.endRound();
      } catch (error) {
        if (!isHandedOver(error)) log.step.failed(error);
      }
    }
    return next.length === 0 ? undefined : Math.min(...next);
  }

  #logOf(step: string): StepFailures {
    const { logger } = this.#context;
    const log = this.#logs.get(step) ?? {
      step: new FailureLog(logger, `a sweep failed at ${step}; it will be retried`),
      runs: new SubjectFailures(
        logger,
        'a sweep could not continue a run; this will be retried',
        'run_id',
      ),
    };
    this.#logs.set(step, log);
    return log;
  }

  async #keepLease(): Promise<undefined> {
    if (this.#context.store.isShared && this.#lease.isDue) await this.#lease.renew();
  }

  async #recoverOrphans(now: number, failures: SubjectFailures): Promise<number | undefined> {
    const { store } = this.#context;
    const { length, hasMore } = await this.#workOn('orphans', {
      read: (limit) => store.read.orphanedRuns({ limit }),
      work: (runId) => this.#recover(runId, failures),
    });
    if (length === 0 && (await store.read.endedWorkers()).length > 0)
      await store.write({}, (sql) => sql.removeEndedWorkers());
    return hasMore ? now : undefined;
  }

  /** Recovers the runs of which a job failed here and nothing is in progress. */
  async #recoverFailed(failures: SubjectFailures): Promise<undefined> {
    const { failedRuns, activities } = this.#context;
    const { runIds } = activities.inProgress();
    for (const runId of [...failedRuns].filter((id) => !runIds.has(id))) {
      if (this.#context.closing.aborted) return;
      await this.#keepLease();
      failedRuns.delete(runId);
      if (!(await this.#recover(runId, failures))) failedRuns.add(runId);
    }
  }

  /** Recovers the runs with a turn or call that this worker owns and does not have in progress. */
  async #recoverLost(now: number, failures: SubjectFailures): Promise<undefined> {
    for (const runId of await this.#lostWork.runIds(now)) {
      if (this.#context.closing.aborted) return;
      await this.#keepLease();
      this.#context.logger.warn(
        'the database lost how a model call or tool call of a run ended; the run continues as after the end of a process',
        { run_id: runId },
      );
      await this.#recover(runId, failures);
    }
  }

  async #recover(runId: string, failures: SubjectFailures): Promise<boolean> {
    // What this worker remembers of the run may not be stored.
    this.#context.known.forgetRun(runId);
    return this.#orFail(runId, failures, () =>
      this.#context.commit(runId, (change) => recoverRun(this.#context, change), 'recover-run'),
    );
  }

  /** Decides about the stored deadlines that are due. Returns the next one, or `now` when more may be due. */
  async #fire(
    { now, until }: Times,
    kind: 'runDeadlines' | 'inboxDeadlines',
    failures: SubjectFailures,
  ): Promise<number | undefined> {
    let next: number | undefined;
    const { hasMore } = await this.#workOn<StoredDeadline>(kind, {
      read: async (limit) => {
        const deadlines = await this.#context.store.read[kind]({ until, limit });
        next = deadlines.find(({ at }) => at > now)?.at;
        return deadlines.filter(({ at }) => at <= now);
      },
      work: (deadline) =>
        this.#orFail(deadline.runId, failures, () => this.#decide(deadline, kind)),
    });
    return hasMore ? now : next;
  }

  /**
   * Works on one batch. `hasMore` is set when more entries may be due and none has failed: failures
   * are tried again by the next sweep, whose batch is larger by their number, so that they keep no
   * other entry waiting.
   */
  async #workOn<T>(
    kind: BatchKind,
    { read, work }: Batch<T>,
  ): Promise<{ readonly length: number; readonly hasMore: boolean }> {
    const limit = BATCH + (this.#failures.get(kind) ?? 0);
    const due = await read(limit);
    let failures = 0;
    for (const entry of due) {
      if (this.#context.closing.aborted) break;
      // A long batch must not last longer than the lease.
      await this.#keepLease();
      if (!(await work(entry))) failures += 1;
    }
    this.#failures.set(kind, failures);
    return { length: due.length, hasMore: due.length === limit && failures === 0 };
  }

  async #decide(
    { id, runId }: StoredDeadline,
    kind: 'runDeadlines' | 'inboxDeadlines',
  ): Promise<void> {
    const context = this.#context;
    await context.commit(runId, async (change) => {
      if (kind === 'runDeadlines') return onWallClock(context, change);
      const [item] = (await change.sql.inboxEntries({ runId, states: ['open'] })).filter(
        (entry) => entry.id === id,
      );
      if (item !== undefined) await expireItemIfDue(context, change, item);
    });
  }

  async #retryModelCalls({ now, until }: Times): Promise<number | undefined> {
    const { store, activities, enqueue, closing } = this.#context;
    const pages = this.#retries.pages((page) => store.read.retries({ until, ...page }));
    for await (const page of pages) {
      for (const { runId, retryAt } of page) {
        if (retryAt > now) {
          this.#retries.restart();
          return retryAt;
        }
        if (!activities.hasTurn(runId)) enqueue({ type: 'advance-run', runId });
      }
      if (closing.aborted) return undefined;
    }
    return undefined;
  }

  /** Enqueues the work whose job was lost, or was never in the queue of this process. */
  async #enqueueIdle(now: number): Promise<undefined> {
    const { store, activities, starter, enqueue, closing } = this.#context;
    for (const runId of await store.read.idleRuns({ limit: BATCH }))
      if (!activities.hasTurn(runId)) enqueue({ type: 'advance-run', runId });
    const runnable = await starter.withRoom(await store.read.runnableRuns({ perKey: BATCH }));
    for (const { id } of runnable.slice(0, BATCH)) enqueue({ type: 'start-run', runId: id });
    const pages = this.#unownedCalls.pages((page) => store.read.unownedCalls({ now, ...page }));
    for await (const page of pages) {
      for (const { id: callId } of page)
        if (!activities.knowsCall(callId)) enqueue({ type: 'call-tool', callId });
      if (closing.aborted) return;
    }
  }

  /**
   * Does work on a run, and returns whether it succeeded. A damaged row fails its own run and delays
   * no other.
   */
  async #orFail(
    runId: string,
    failures: SubjectFailures,
    work: () => Promise<void>,
  ): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (isHandedOver(error)) throw error;
      try {
        if (!(error instanceof DamagedRowError)) throw error;
        await failDamagedRun(this.#context, runId, error);
        return true;
      } catch (failure) {
        if (isHandedOver(failure)) throw failure;
        failures.failed(runId, failure);
        return false;
      }
    }
  }
}
