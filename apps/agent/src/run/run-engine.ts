import { v7 } from 'uuid';
import { DEFAULT_CONCURRENCY, type Concurrency } from '../ports/concurrency.ts';
import type { Job, JobOutcome, JobQueue } from '../ports/job-queue.ts';
import type { LlmProviders } from '../ports/llm-providers.ts';
import type { Logger } from '../ports/logger.ts';
import type { RunEngine, RunWorker } from '../ports/run-engine.ts';
import type { OutputChecker } from '../ports/output-checker.ts';
import { DamagedRowError } from '../ports/store/errors.ts';
import type { Store } from '../ports/store.ts';
import type { SignalBus } from '../ports/signal-bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { CrashPoint, CrashPoints } from '../ports/test-hooks.ts';
import type { ToolCatalogue } from '../ports/tool-catalogue.ts';
import type { ToolDispatcher } from '../ports/tool-dispatcher.ts';
import { Activities } from './core/activities.ts';
import { DEFAULT_MAX_QUEUED_RUNS } from './lifecycle/admission.ts';
import { advanceRun } from './turn/advance-run.ts';
import { runCallJob } from './calls/dispatch-call.ts';
import { Commits, isHandedOver, type EventListener } from './core/commits.ts';
import { endRun } from './lifecycle/end-run.ts';
import type { ServerPolicy } from './core/server-policy.ts';
import { type EngineParts, type RecoveryDecision } from './core/engine-parts.ts';
import { failDamagedRun } from './recovery/fail-damaged-run.ts';
import { defaultRecovery } from './calls/lost-call.ts';
import { Sweep } from './recovery/sweep.ts';
import { SweepTimer } from './core/sweep-timer.ts';
import { reconcile } from './lifecycle/reconcile.ts';
import { stopCancelled } from './calls/stop-cancelled.ts';
import { SignalWatch } from '../signals/signal-watch.ts';
import { createRunCommands } from './run-commands.ts';

export interface EngineDependencies {
  readonly store: Store;
  readonly queue: JobQueue;
  readonly bus: SignalBus;
  readonly catalogue: ToolCatalogue;
  readonly dispatcher: ToolDispatcher;
  readonly llm: LlmProviders;
  readonly outputs: OutputChecker;
  readonly clock: Clock;
  readonly logger: Logger;
  /**
   * Policies by server name. A server without a policy needs approval for sampling and for all but
   * trusted read-only tools.
   */
  readonly policies: { readonly [server: string]: ServerPolicy };
  readonly crashPoints?: CrashPoints;
  /** Receives the events of each commit, after it. */
  readonly onEvents?: EventListener;
  /** Creates the ids of rows, in order of creation; default UUIDv7. */
  readonly newId?: () => string;
  readonly recovery?: RecoveryDecision;
  /** Random number in [0, 1) for the jitter of delays; default `Math.random`. */
  readonly random?: () => number;
  /**
   * Maximum number of runs that may wait for their first step, and of single tool calls in
   * progress; default 1,000. Further ones are rejected.
   */
  readonly maxQueuedRuns?: number;
  /** Limits of the calls in progress. Default: `DEFAULT_CONCURRENCY`. */
  readonly concurrency?: Partial<Concurrency> | undefined;
}

const DEFAULT_POLICY: ServerPolicy = { approval: 'default', sampling: 'ask' };
const DEFAULT_GRACE_MS = 5000;

/** Returns the policy of a server, or the default for a server without one. */
export function policyLookup(
  policies: EngineDependencies['policies'],
): (server: string) => ServerPolicy {
  return (server) =>
    (Object.hasOwn(policies, server) ? policies[server] : undefined) ?? DEFAULT_POLICY;
}

/** Creates the run engine over its ports. The caller closes the ports after the engine. */
export function createRunEngine(dependencies: EngineDependencies): RunEngine {
  const worker = new Worker(dependencies);
  return {
    ...createRunCommands(worker.parts),
    start: () => worker.start(),
    close: (options) => worker.close(options),
  };
}

class Worker implements RunWorker {
  readonly #context: EngineParts;
  readonly #concurrency: Concurrency;
  readonly #queue: JobQueue;
  readonly #commits: Commits;
  readonly #closing = new AbortController();
  readonly #timer: SweepTimer;
  #rejoining: Promise<void> | undefined;
  #unsubscribe: () => void = () => undefined;

  constructor(dependencies: EngineDependencies) {
    const {
      store,
      queue,
      bus,
      catalogue,
      dispatcher,
      llm,
      outputs,
      clock,
      logger,
      policies,
      crashPoints,
    } = dependencies;
    const crashPoint = (point: CrashPoint): void => crashPoints?.(point);
    this.#commits = new Commits(store, bus, {
      clock,
      crashPoint,
      reconcile: (change) => reconcile(this.#context, change),
      onEvents: dependencies.onEvents ?? (() => undefined),
      onLeaseLost: () => void this.#rejoin(),
    });
    this.#concurrency = { ...DEFAULT_CONCURRENCY, ...dependencies.concurrency };
    this.#queue = queue;
    this.#timer = new SweepTimer({ clock, sweep: (times) => sweep.run(times) });
    this.#context = {
      store,
      get workerId() {
        return store.workerId;
      },
      enqueue: (job, delayMs = 0) =>
        void queue
          .enqueue(job, { delayMs })
          .catch((error: unknown) =>
            logger.error('a job could not be enqueued', { ...job, error }),
          ),
      bus,
      watch: new SignalWatch(bus, clock),
      catalogue,
      dispatcher,
      llm,
      outputs,
      clock,
      logger,
      newId: dependencies.newId ?? (() => v7()),
      random: dependencies.random ?? Math.random,
      crashPoint,
      policyOf: policyLookup(policies),
      recovery: dependencies.recovery ?? defaultRecovery,
      activities: new Activities(
        (callId) => this.#context.enqueue({ type: 'call-tool', callId }),
        this.#concurrency,
      ),
      sweep: this.#timer,
      maxQueuedRuns: dependencies.maxQueuedRuns ?? DEFAULT_MAX_QUEUED_RUNS,
      commit: (...change) => this.#commits.commit(...change),
      closing: this.#closing.signal,
    };
    const sweep = new Sweep(this.#context, () => this.#rejoin());
  }

  /** Parts that the commands share with this worker. */
  get parts(): EngineParts {
    return this.#context;
  }

  async start(): Promise<void> {
    const { watch, activities } = this.#context;
    this.#unsubscribe = watch.subscribe('cancels', {
      onSignal: (signal) => {
        if (signal.type !== 'cancel') return;
        if (signal.callId === undefined) activities.stopRun(signal.runId);
        else activities.stopCall(signal.callId);
      },
      onLook: () => stopCancelled(this.#context),
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
    await Promise.race([this.#queue.close(), graceIsOver]);
    cancelGrace();
    activities.parkCalls();
    await this.#commits.close();
    await swept;
    this.#unsubscribe();
  }

  /** Runs a job. A job that the close interrupted is handed back to the queue. */
  async #work(job: Job, signal: AbortSignal): Promise<JobOutcome> {
    if (signal.aborted) return 'release';
    try {
      if (job.type === 'call-tool') await runCallJob(this.#context, job.callId);
      else await this.#advance(job.runId);
    } catch (error) {
      if (!isHandedOver(error)) throw error;
    }
    return this.#closing.signal.aborted ? 'release' : 'done';
  }

  /**
   * Takes the next step of a run. After an internal error the run fails visibly instead of waiting
   * forever.
   */
  async #advance(runId: string): Promise<void> {
    try {
      await advanceRun(this.#context, runId);
    } catch (error) {
      if (isHandedOver(error)) return;
      if (error instanceof DamagedRowError) return failDamagedRun(this.#context, runId, error);
      const failure = {
        code: 'internal_error',
        message: 'The run failed inside the service; its log says why.',
      };
      await this.#context.commit(runId, async (change) => {
        const turn = await change.sql.activeTurn(runId);
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

  /** Joins again after other workers took over what this one owned. */
  #rejoin(): Promise<void> {
    const { store, logger, activities } = this.#context;
    this.#rejoining ??= (async () => {
      const before = store.workerId;
      activities.abandon();
      try {
        await store.join();
        logger.warn(
          'this worker sent no heartbeat in time; its runs continue on other workers, and it joined again',
          { worker: before, new_worker: store.workerId },
        );
      } catch (error) {
        logger.error('this worker could not join again; the next sweep tries it again', { error });
      } finally {
        this.#rejoining = undefined;
      }
    })();
    return this.#rejoining;
  }
}
