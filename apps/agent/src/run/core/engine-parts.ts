import type { KeyLimits } from '../../ports/api-key.ts';
import type { EnqueueOptions, Job } from '../../ports/job-queue.ts';
import type { LlmProviders } from '../../ports/llm-providers.ts';
import type { Logger } from '../../ports/logger.ts';
import type { OutputChecker } from '../../ports/output-checker.ts';
import type { Store } from '../../ports/store.ts';
import type { ToolCall } from '../../ports/store/tool-call.ts';
import type { SignalBus } from '../../ports/signal-bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CommitStep, CrashPoint } from '../../ports/test-hooks.ts';
import type { ToolCatalogue } from '../../ports/tool-catalogue.ts';
import type { ToolDispatcher } from '../../ports/tool-dispatcher.ts';
import type { Traces } from '../../ports/traces.ts';
import type { Activities } from './activities.ts';
import type { KnownWork } from './known-work.ts';
import type { RunStarter } from './run-starter.ts';
import type { ServerPolicy } from './server-policy.ts';
import { isHandedOver, type Change } from './commits.ts';
import type { SignalWatch } from '../../signals/signal-watch.ts';
import type { SweepTimer } from './sweep-timer.ts';

/** Decides about a sent call whose result can no longer arrive: send it again, or ask a person. */
export type RecoveryDecision = (call: Pick<ToolCall, 'repeatable'>) => 'retry' | 'ask';

/** The parts that an engine is made of. A function takes only those that it uses: `Uses<'clock' | 'store'>`. */
export interface EngineParts {
  readonly store: Store;
  /** Identifies this process as the owner of turns, calls and inbox items. It changes when its lease was lost. */
  readonly workerId: string;
  /** Enqueues a job. A job that the queue loses is enqueued again by the next sweep. */
  readonly enqueue: (job: Job, options?: EnqueueOptions) => void;
  readonly bus: SignalBus;
  readonly watch: SignalWatch;
  readonly catalogue: ToolCatalogue;
  readonly dispatcher: ToolDispatcher;
  /**
   * Leaves a call to the worker that is connected to its server for all workers, and returns true.
   * Returns false for a server that this worker calls. Absent: this worker calls all servers.
   */
  readonly handToOwner?: ((call: ToolCall) => Promise<boolean>) | undefined;
  /** Absent where traces are off. */
  readonly traces?: Pick<Traces, 'runRequested'> | undefined;
  readonly llm: LlmProviders;
  readonly outputs: OutputChecker;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly newId: () => string;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly crashPoint: (point: CrashPoint) => void;
  readonly policyOf: (server: string) => ServerPolicy;
  readonly recovery: RecoveryDecision;
  readonly activities: Activities;
  readonly starter: RunStarter;
  readonly known: KnownWork;
  /**
   * Runs of which a job failed here. This process may still own a turn or a call of them, which no
   * other worker continues; the sweep recovers them.
   */
  readonly failedRuns: Set<string>;
  /** Returns the maximum number of calls of a server within a minute; undefined: no limit. */
  readonly callsPerMinute: (server: string) => number | undefined;
  readonly sweep: Pick<SweepTimer, 'wakeAt'>;
  readonly maxQueuedRuns: number;
  /** Returns the limits of an API key. */
  readonly keyLimits: (apiKey: string) => KeyLimits;
  /**
   * Commits changes to a run; see `Commits`. `step` names the transaction, so that tests can end the
   * process there.
   */
  readonly commit: <T>(
    runId: string,
    work: (change: Change) => Promise<T>,
    step?: CommitStep,
    threadId?: string,
  ) => Promise<T>;
  /** Aborted when the engine begins to close. */
  readonly closing: AbortSignal;
}

/** Some parts of an engine. */
export type Uses<Part extends keyof EngineParts> = Pick<EngineParts, Part>;

/** Delay before a write that the store refused is tried again, in milliseconds. */
export const STORE_RETRY_MS = 5000;

/** Logs the failure of work that nothing awaits. */
export function inBackground(
  { logger }: Uses<'logger'>,
  what: string,
  work: Promise<unknown>,
): void {
  work.catch((error: unknown) => {
    if (!isHandedOver(error)) logger.error(`${what} failed`, { error });
  });
}
