import { orderedIds } from './core/ordered-ids.ts';
import type { KeyLimits } from '../ports/api-key.ts';
import type { Clock } from '../ports/clock.ts';
import type { JobQueue } from '../ports/job-queue.ts';
import type { LlmProviders } from '../ports/llm-providers.ts';
import type { Logger } from '../ports/logger.ts';
import type { OutputChecker } from '../ports/output-checker.ts';
import type { SignalBus } from '../ports/signal-bus.ts';
import type { Store } from '../ports/store.ts';
import type { ToolCatalogue } from '../ports/tool-catalogue.ts';
import type { EventListener } from './core/commits.ts';
import type { EngineParts } from './core/engine-parts.ts';
import type { ServerPolicy } from './core/server-policy.ts';
import { DEFAULT_MAX_QUEUED_RUNS } from './lifecycle/admission.ts';

/** Ports and settings of the commands to runs. */
export interface CommandDependencies {
  readonly store: Store;
  readonly queue: Pick<JobQueue, 'enqueue'>;
  readonly bus: SignalBus;
  readonly catalogue: ToolCatalogue;
  readonly llm: LlmProviders;
  readonly outputs: OutputChecker;
  readonly clock: Clock;
  readonly logger: Logger;
  /**
   * Policies by server name. A server without a policy needs approval for sampling and for all but
   * trusted read-only tools.
   */
  readonly policies: { readonly [server: string]: ServerPolicy };
  /** Receives the events of each commit, after it. */
  readonly onEvents?: EventListener;
  /** Creates the ids of rows, in order of creation; default UUIDv7. */
  readonly newId?: () => string;
  /**
   * Maximum number of runs that may wait for their first step, and of single tool calls in
   * progress; default 1,000. Further ones are rejected.
   */
  readonly maxQueuedRuns?: number;
  /** Returns the limits of an API key. Default: none. */
  readonly keyLimits?: ((apiKey: string) => KeyLimits) | undefined;
}

/** Parts of an engine that only workers need: they call models and servers, or continue runs. */
type WorkerPart =
  | 'dispatcher'
  | 'traces'
  | 'activities'
  | 'starter'
  | 'known'
  | 'failedRuns'
  | 'watch'
  | 'recovery'
  | 'random'
  | 'logger'
  | 'crashPoint'
  | 'callsPerMinute';

/** Parts of an engine that the commands need. */
export type CommandParts = Omit<EngineParts, WorkerPart>;

const DEFAULT_POLICY: ServerPolicy = { approval: 'default', sampling: 'ask' };

/** Creates the parts that the commands need. */
export function commandParts(
  {
    store,
    queue,
    bus,
    catalogue,
    llm,
    outputs,
    clock,
    logger,
    policies,
    newId = orderedIds(),
    maxQueuedRuns = DEFAULT_MAX_QUEUED_RUNS,
    keyLimits = () => ({}),
  }: CommandDependencies,
  rest: Pick<CommandParts, 'sweep' | 'commit' | 'closing'>,
): CommandParts {
  return {
    ...rest,
    store,
    get workerId() {
      return store.workerId;
    },
    enqueue: loggedEnqueue(queue, logger),
    bus,
    catalogue,
    llm,
    outputs,
    clock,
    newId,
    policyOf: (server) =>
      (Object.hasOwn(policies, server) ? policies[server] : undefined) ?? DEFAULT_POLICY,
    maxQueuedRuns,
    keyLimits,
  };
}

/** Returns a function that enqueues without waiting. A failure is logged; the sweep enqueues again. */
export function loggedEnqueue(
  queue: Pick<JobQueue, 'enqueue'>,
  logger: Pick<Logger, 'error'>,
): CommandParts['enqueue'] {
  return (job, options) =>
    void queue
      .enqueue(job, options)
      .catch((error: unknown) => logger.error('a job could not be enqueued', { ...job, error }));
}
