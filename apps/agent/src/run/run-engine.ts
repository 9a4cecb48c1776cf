import { DEFAULT_CONCURRENCY, type Concurrency } from '../ports/concurrency.ts';
import type { Job, JobOutcome, JobQueue } from '../ports/job-queue.ts';
import type { RunEngine, RunWorker } from '../ports/run-engine.ts';
import { DamagedRowError, isTemporary } from '../ports/store/errors.ts';
import type { CrashPoint, CrashPoints } from '../ports/test-hooks.ts';
import type { ToolDispatcher } from '../ports/tool-dispatcher.ts';
import type { Traces } from '../ports/traces.ts';
import { orderedIds } from './core/ordered-ids.ts';
import { Activities } from './core/activities.ts';
import { KnownWork } from './core/known-work.ts';
import { advanceRun, startRun } from './turn/advance-run.ts';
import { enqueueStart } from './lifecycle/thread-order.ts';
import { RunStarter } from './core/run-starter.ts';
import { runCallJob } from './calls/dispatch-call.ts';
import { Commits, isHandedOver, type CommitHooks } from './core/commits.ts';
import type { RunEventType } from './core/events.ts';
import { endRun } from './lifecycle/end-run.ts';
import { type EngineParts, type RecoveryDecision } from './core/engine-parts.ts';
import { failDamagedRun } from './calls/fail-damaged-run.ts';
import { defaultRecovery } from './calls/lost-call.ts';
import { Sweep, type SweepStep } from './recovery/sweep.ts';
import { SweepTimer } from './core/sweep-timer.ts';
import { reconcile } from './lifecycle/reconcile.ts';
import { stopCancelled } from './calls/stop-cancelled.ts';
import { SignalWatch } from '../signals/signal-watch.ts';
import {
  commandParts,
  loggedEnqueue,
  type CommandDependencies,
  type CommandParts,
} from './command-parts.ts';
import { createRunCommands } from './run-commands.ts';

export interface EngineDependencies extends CommandDependencies {
  readonly queue: JobQueue;
  /**
   * Queue whose jobs only this worker gets, for calls with a reserved slot of this worker; `queue`
   * starts it and closes it. Default: `queue`, which must then belong to this worker alone.
   */
  readonly ownQueue?: Pick<JobQueue, 'enqueue'> | undefined;
  readonly dispatcher: ToolDispatcher;
  /** Receives the parents of runs that other processes accepted. Absent where traces are off. */
  readonly traces?: Pick<Traces, 'runRequested'> | undefined;
  readonly crashPoints?: CrashPoints;
  readonly recovery?: RecoveryDecision;
  /** Random number in [0, 1) for the jitter of delays; default `Math.random`. */
  readonly random?: () => number;
  /** Limits of the calls in progress. Default: `DEFAULT_CONCURRENCY`. */
  readonly concurrency?: Partial<Concurrency> | undefined;
  /** Returns the maximum number of calls of a server within a minute. Default: no limits. */
  readonly callsPerMinute?: ((server: string) => number | undefined) | undefined;
  /** Leaves calls to the workers that own their servers. Default: this worker calls all servers. */
  readonly handToOwner?: EngineParts['handToOwner'];
  /** Called after a commit that stored webhook deliveries. */
  readonly onAnnounced?: () => void;
  /** Further steps of the sweep, after those of the engine. Default: none. */
  readonly sweepSteps?: readonly SweepStep[];
}

const DEFAULT_GRACE_MS = 5000;

/** Last events of a run. */
const ENDS_RUN: ReadonlySet<string> = new Set<RunEventType>([
  'run.completed',
  'run.failed',
  'run.cancelled',
  'run.expired',
]);

/** Events after which a run is not in progress. */
const FREES_ROOM: ReadonlySet<string> = new Set<string>([
  ...ENDS_RUN,
  'run.input_required' satisfies RunEventType,
]);

/** Creates the run engine over its ports. The caller closes the ports after the engine. */
export function createRunEngine(dependencies: EngineDependencies): RunEngine {
  const worker = new Worker(dependencies);
  return {
    ...createRunCommands(worker.commandParts),
    start: () => worker.start(),
    close: (options) => worker.close(options),
  };
}

class Worker implements RunWorker {
  /** Parts of the commands beside this worker. */
  readonly commandParts: CommandParts;
  readonly #context: EngineParts;
  readonly #concurrency: Concurrency;
  readonly #queue: JobQueue;
  readonly #commits: Commits;
  /** Commits of clients' commands, which need no lease. */
  readonly #commandCommits: Commits;
  readonly #closing = new AbortController();
  readonly #timer: SweepTimer;
  #rejoining: Promise<void> | undefined;
  #unsubscribe: () => void = () => undefined;

  constructor(dependencies: EngineDependencies) {
    const { store, queue, bus, dispatcher, clock, logger, crashPoints } = dependencies;
    const crashPoint = (point: CrashPoint): void => crashPoints?.(point);
    const hasLimits = dependencies.keyLimits !== undefined;
    const hooks: CommitHooks = {
      clock,
      crashPoint,
      reconcile: (change, isBusy) => reconcile(this.#context, change, isBusy),
      onEvents: (runId, events) => {
        dependencies.onEvents?.(runId, events);
        if (events.some(({ type }) => ENDS_RUN.has(type))) this.#context.known.forgetRun(runId);
        // The API key of the run may have room for another.
        if (hasLimits && events.some(({ type }) => FREES_ROOM.has(type)))
          this.#context.enqueue({ type: 'start-run', runId });
      },
      newId: dependencies.newId ?? orderedIds(),
      onAnnounced: dependencies.onAnnounced,
    };
    this.#commits = new Commits(store, bus, {
      ...hooks,
      onLeaseLost: ({ workerId }) => void this.#rejoin(workerId),
    });
    this.#commandCommits = new Commits(store, bus, hooks);
    this.#concurrency = { ...DEFAULT_CONCURRENCY, ...dependencies.concurrency };
    this.#queue = queue;
    this.#timer = new SweepTimer({ clock, sweep: (times) => sweep.run(times) });
    const parts = commandParts(dependencies, {
      sweep: this.#timer,
      commit: (...change) => this.#commits.commit(...change),
      closing: this.#closing.signal,
    });
    const enqueueOwn = loggedEnqueue(dependencies.ownQueue ?? queue, logger);
    // Not a copy, because the id of the worker can change.
    this.#context = Object.assign(parts, {
      dispatcher,
      handToOwner: dependencies.handToOwner,
      traces: dependencies.traces,
      watch: new SignalWatch(bus, clock),
      logger,
      random: dependencies.random ?? Math.random,
      crashPoint,
      recovery: dependencies.recovery ?? defaultRecovery,
      callsPerMinute: dependencies.callsPerMinute ?? (() => undefined),
      starter: new RunStarter({ read: store.read, clock, keyLimits: parts.keyLimits }),
      activities: new Activities(
        // Another worker would not use the slot that is reserved here.
        (callId) => enqueueOwn({ type: 'call-tool', callId }),
        this.#concurrency,
      ),
      known: new KnownWork(),
      failedRuns: new Set<string>(),
    });
    const sweep = new Sweep(
      this.#context,
      (workerId) => this.#rejoin(workerId),
      dependencies.sweepSteps,
    );
    this.commandParts = commandParts(dependencies, {
      sweep: this.#timer,
      commit: (...change) => this.#commandCommits.commit(...change),
      closing: this.#closing.signal,
    });
  }

  async start(): Promise<void> {
    const { watch, activities } = this.#context;
    this.#unsubscribe = watch.subscribe('cancels', {
      onSignal: (signal) => {
        if (signal.type !== 'cancel') return;
        if (signal.callId === undefined) activities.stopRun(signal.runId);
        else activities.stopCall(signal.callId);
      },
      onPoll: () => stopCancelled(this.#context),
    });
    const { modelCalls, toolCalls } = this.#concurrency;
    this.#queue.start((job, signal) => this.#work(job, signal), {
      concurrency: { 'advance-run': modelCalls, 'call-tool': toolCalls },
    });
    await this.#timer.start();
  }

  async close({ graceMs = DEFAULT_GRACE_MS }: { readonly graceMs?: number } = {}): Promise<void> {
    const { clock, activities } = this.#context;
    this.#closing.abort();
    const swept = this.#timer.close();
    activities.stopTurns();
    const { promise: graceIsOver, resolve } = Promise.withResolvers<void>();
    const cancelGrace = clock.after(graceMs, resolve);
    await Promise.race([this.#closeQueue(), graceIsOver]);
    cancelGrace();
    activities.parkCalls();
    await Promise.all([this.#commits.close(), this.#commandCommits.close()]);
    await swept;
    this.#unsubscribe();
  }

  async #closeQueue(): Promise<void> {
    try {
      await this.#queue.close();
    } catch (error) {
      this.#context.logger.error(
        'jobs could not be handed back; the sweep of another worker or of the next start finds them',
        { error },
      );
    }
  }

  /** Runs a job. A job that the close interrupted is handed back to the queue. */
  async #work(job: Job, signal: AbortSignal): Promise<JobOutcome> {
    if (signal.aborted) return 'release';
    try {
      if (job.type === 'call-tool') await runCallJob(this.#context, job.callId);
      else await this.#workOn(job);
    } catch (error) {
      if (!isHandedOver(error)) throw error;
    }
    return this.#closing.signal.aborted ? 'release' : 'done';
  }

  /**
   * Continues the run of the job. When it has no step to take and the job is to start a run, starts
   * the run that is next.
   */
  async #workOn({ type, runId }: Extract<Job, { readonly runId: string }>): Promise<void> {
    const context = this.#context;
    if ((await this.#orFail(runId, () => advanceRun(context, runId))) ?? true) return;
    const isQueued = (await context.store.read.runStatus(runId)) === 'queued';
    if (type === 'advance-run' && !isQueued) return;
    await context.starter.startNext(async (next) => {
      // There is a job for each waiting run.
      if (isQueued && next !== runId) await this.#enqueueWaiting(runId);
      return (await this.#orFail(next, () => startRun(context, next))) ?? 'started';
    });
  }

  async #enqueueWaiting(runId: string): Promise<void> {
    const run = await this.#context.store.read.runCore(runId);
    if (run?.status === 'queued') enqueueStart(this.#context, run);
  }

  /** Works on a run. After an internal error the run fails visibly instead of waiting forever. */
  async #orFail<T>(runId: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (isHandedOver(error)) return undefined;
      // The queue may deliver the job again, but to a worker that does not own the turn.
      this.#context.failedRuns.add(runId);
      // Nothing is wrong with the run, and the queue delivers the job again.
      if (isTemporary(error)) throw error;
      if (error instanceof DamagedRowError) {
        await failDamagedRun(this.#context, runId, error);
        return undefined;
      }
      const failure = {
        code: 'internal_error',
        message: 'The run failed inside the service; its log says why.',
      };
      await this.#context.commit(runId, async (change) => {
        const turn = await change.sql.activeTurn(runId);
        // Another worker makes the model call, which does not depend on this failure.
        if (turn !== undefined && turn.owner !== this.#context.workerId) return;
        if (turn !== undefined && (await change.sql.endTurn(turn.messageId, 'failed')))
          change.emit({
            type: 'turn.failed',
            data: { turn: turn.turn, message_id: turn.messageId, error: failure, retryable: false },
          });
        await change.sql.savePartial(runId, undefined);
        await endRun(this.#context, change, { status: 'failed', error: failure });
      });
      throw error;
    }
  }

  /** Joins again after other workers took over what this one owned, unless it has done so. */
  #rejoin(before: string): Promise<void> {
    const { store, logger, activities } = this.#context;
    if (store.workerId !== before) return Promise.resolve();
    this.#rejoining ??= (async () => {
      activities.abandon();
      try {
        await store.join();
        logger.warn(
          'this worker sent no heartbeat in time; its runs continue on other workers, and it joined again',
          { worker: before, new_worker: store.workerId },
        );
      } catch (error) {
        logger.error('this worker could not join again; the next sweep will retry', { error });
      } finally {
        this.#rejoining = undefined;
      }
    })();
    return this.#rejoining;
  }
}
