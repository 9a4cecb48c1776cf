import type { Job, JobQueue } from '../../ports/job-queue.ts';
import type { LlmProvider } from '../../ports/llm-provider.ts';
import type { Logger } from '../../ports/logger.ts';
import type { OutputChecker } from '../../ports/output-checker.ts';
import type { RunStore, ToolCall } from '../../ports/run-store.ts';
import type { SignalBus } from '../../ports/signal-bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CommitStep, CrashPoint } from '../../ports/test-hooks.ts';
import type { ToolRegistry } from '../../ports/tool-registry.ts';
import type { Activities } from './activities.ts';
import type { ServerPolicy } from './server-policy.ts';
import { isShutdown, type Change } from './commits.ts';
import type { Timers } from './timers.ts';

/** What becomes of a call that was sent and whose answer can no longer come. */
export type RecoveryDecision = (call: Pick<ToolCall, 'repeatable'>) => 'retry' | 'ask';

/** What every part of the engine works with. */
export interface EngineContext {
  readonly store: RunStore;
  readonly queue: JobQueue;
  readonly bus: SignalBus;
  readonly registry: ToolRegistry;
  readonly llm: LlmProvider;
  readonly outputs: OutputChecker;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly newId: () => string;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly reach: (point: CrashPoint) => void;
  readonly policyOf: (server: string) => ServerPolicy;
  readonly recovery: RecoveryDecision;
  readonly activities: Activities;
  readonly timers: Timers;
  readonly maxQueuedRuns: number;
  /** `step` names the transactions at which tests may end the process. */
  readonly commit: <T>(
    runId: string,
    work: (change: Change) => Promise<T>,
    step?: CommitStep,
  ) => Promise<T>;
  /** Aborted when the engine begins to close. */
  readonly closing: AbortSignal;
}

/** How long what the store refused waits before it is tried again. */
export const STORE_RETRY_MS = 5000;

/** Hands a job to the queue; a queue that fails loses nothing, the next start enqueues from the store. */
export function enqueue({ queue, logger }: EngineContext, job: Job, delayMs = 0): void {
  queue
    .enqueue(job, { delayMs })
    .catch((error: unknown) => logger.error('a job could not be enqueued', { ...job, error }));
}

/** Runs background work of a run whose failure nobody awaits; a failure is logged. */
export function inBackground(
  { logger }: EngineContext,
  what: string,
  work: Promise<unknown>,
): void {
  work.catch((error: unknown) => {
    if (!isShutdown(error)) logger.error(`${what} failed`, { error });
  });
}
