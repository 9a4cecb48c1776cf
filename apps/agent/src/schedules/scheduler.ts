import { ANONYMOUS } from '../ports/api-key.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { EngineError, type NewRun, type RunCommands } from '../ports/run-engine.ts';
import type { Store } from '../ports/store.ts';
import { SETTLED_STATUSES } from '../ports/store/run.ts';
import type { Schedule, ScheduledTime } from '../ports/store/schedule.ts';
import { SubjectFailures } from '../run/core/failure-log.ts';
import { nextTime } from './next-time.ts';
import { runOf } from './run-template.ts';

/** Maximum number of times that one sweep decides about, so that it does not outlast the lease. */
const MAX_DECISIONS = 100;
/** Number of due schedules in one read. */
const PAGE = 100;

export interface SchedulerOptions {
  readonly store: Pick<Store, 'read' | 'write'>;
  readonly createRun: RunCommands['createRun'];
  /** Whether an API key is configured. */
  readonly hasApiKey: (name: string) => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Receives each decision of this process about a time. */
  readonly onDecision: (outcome: NonNullable<Schedule['lastOutcome']>) => void;
}

interface Times {
  readonly now: number;
  readonly until: number;
}

/** Codes of refusals that end by themselves; the time is decided about by a later sweep. */
const TEMPORARY: ReadonlySet<EngineError['code']> = new Set(['too_many_runs', 'shutting_down']);

/** Another process has decided about the time. */
class AlreadyDecidedError extends Error {}

/**
 * Starts the runs of schedules when their times are due. The run is stored in the transaction that
 * moves the schedule to its next time, so that of several workers one starts it. Times that passed
 * while no worker was running count as one.
 */
export class Scheduler {
  readonly name = 'starting scheduled runs';
  readonly #options: SchedulerOptions;
  readonly #failures: SubjectFailures;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#failures = new SubjectFailures(
      options.logger,
      'a scheduled run could not be started; the next sweep will retry',
      'schedule',
    );
  }

  /** Decides about the times that are due at `now`. Resolves with the next time up to `until`. */
  readonly run = async (times: Times): Promise<number | undefined> => {
    const next = await this.#decideDue(times);
    this.#failures.endRound();
    return next;
  };

  async #decideDue({ now, until }: Times): Promise<number | undefined> {
    const { store } = this.#options;
    let decisions = 0;
    for (let after: ScheduledTime | undefined; ;) {
      const page = await store.read.dueSchedules({ until, after, limit: PAGE });
      for (const time of page) {
        if (time.at > now) return time.at;
        if (decisions >= MAX_DECISIONS) return now;
        if (await this.#decideOrLog(time)) decisions += 1;
      }
      if (page.length < PAGE) return undefined;
      after = page.at(-1);
    }
  }

  async #decideOrLog(time: ScheduledTime): Promise<boolean> {
    try {
      return await this.#decide(time);
    } catch (error) {
      this.#failures.failed(time.id, error);
      return false;
    }
  }

  /** Returns whether this process decided about the time. */
  async #decide(time: ScheduledTime): Promise<boolean> {
    const { store, clock } = this.#options;
    const schedule = await store.read.schedule(time.id);
    // Another process may have been faster.
    if (schedule?.nextAt !== time.at) return false;
    const { lastRunId, onBusy } = schedule;
    const status = lastRunId === undefined ? undefined : await store.read.runStatus(lastRunId);
    const isBusy = status !== undefined && !SETTLED.has(status);
    if (isBusy && onBusy === 'queue') return false;
    const nextAt = await nextTime(schedule, clock.now());
    if (isBusy) return this.#record(time, { nextAt, lastOutcome: 'skipped', lastError: undefined });
    return this.#start(schedule, time, nextAt);
  }

  async #start(
    schedule: Schedule,
    time: ScheduledTime,
    nextAt: number | undefined,
  ): Promise<boolean> {
    const { createRun, hasApiKey, logger, onDecision } = this.#options;
    const apiKey = hasApiKey(schedule.apiKey) ? schedule.apiKey : ANONYMOUS;
    try {
      await createRun({ ...newRun(schedule, time), apiKey }, async (sql, { id: lastRunId }) => {
        const decision = {
          nextAt,
          lastOutcome: 'started',
          lastError: undefined,
          lastRunId,
        } as const;
        if (!(await sql.decideTime(time, decision))) throw new AlreadyDecidedError();
      });
      onDecision('started');
      return true;
    } catch (error) {
      if (error instanceof AlreadyDecidedError) return false;
      if (!(error instanceof EngineError)) throw error;
      const { code, message } = error;
      if (TEMPORARY.has(code)) return false;
      if (code === 'thread_busy')
        return this.#record(time, { nextAt, lastOutcome: 'skipped', lastError: undefined });
      if (code === 'run_rate_exceeded') {
        if (schedule.onBusy === 'queue') return false;
        const lastError = `${code}: ${message}`;
        return this.#record(time, { nextAt, lastOutcome: 'skipped', lastError });
      }
      logger.warn('a scheduled run was refused', { schedule: time.id, code, error: message });
      return this.#record(time, {
        nextAt,
        lastOutcome: 'failed',
        lastError: `${code}: ${message}`,
      });
    }
  }

  async #record(
    time: ScheduledTime,
    decision: Pick<Schedule, 'nextAt' | 'lastError'> & {
      readonly lastOutcome: 'skipped' | 'failed';
    },
  ): Promise<boolean> {
    const { store, onDecision } = this.#options;
    const isOurs = await store.write({}, (sql) => sql.decideTime(time, decision));
    if (isOurs) onDecision(decision.lastOutcome);
    return isOurs;
  }
}

const SETTLED: ReadonlySet<string> = new Set(SETTLED_STATUSES);

/** Returns the run of a time. Its metadata names the schedule and the time. */
function newRun({ id, run, onBusy }: Schedule, { at }: ScheduledTime): NewRun {
  const input = runOf(run);
  return {
    ...input,
    metadata: {
      ...input.metadata,
      schedule_id: id,
      scheduled_at: new Date(at).toISOString(),
    },
    ...(input.threadId === undefined
      ? {}
      : { onBusy: onBusy === 'queue' ? ('enqueue' as const) : ('reject' as const) }),
  };
}
