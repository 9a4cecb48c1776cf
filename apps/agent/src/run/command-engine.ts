import { v7 } from 'uuid';
import type { JobQueue } from '../ports/job-queue.ts';
import type { RunCommands } from '../ports/run-engine.ts';
import { Commits } from './core/commits.ts';
import { DEFAULT_MAX_QUEUED_RUNS } from './lifecycle/admission.ts';
import { reconcile } from './lifecycle/reconcile.ts';
import { createRunCommands, type CommandParts } from './run-commands.ts';
import { policyLookup, type EngineDependencies } from './run-engine.ts';

export interface CommandEngineDependencies extends Pick<
  EngineDependencies,
  | 'store'
  | 'bus'
  | 'catalogue'
  | 'llm'
  | 'outputs'
  | 'clock'
  | 'logger'
  | 'policies'
  | 'onEvents'
  | 'newId'
  | 'maxQueuedRuns'
> {
  readonly queue: Pick<JobQueue, 'enqueue'>;
}

/** The commands of a process that takes no turns. */
export interface CommandEngine extends RunCommands {
  /** Stops accepting commands and resolves when the commands in progress have ended. */
  close(): Promise<void>;
}

/** Creates the commands over their ports. Workers on the same store continue the runs. */
export function createCommandEngine(dependencies: CommandEngineDependencies): CommandEngine {
  const { store, queue, bus, catalogue, llm, outputs, clock, logger, policies } = dependencies;
  const closing = new AbortController();
  const commits = new Commits(store, bus, {
    clock,
    crashPoint: () => undefined,
    reconcile: (change) => reconcile(parts, change),
    onEvents: dependencies.onEvents ?? (() => undefined),
  });
  const parts: CommandParts = {
    store,
    get workerId() {
      return store.workerId;
    },
    enqueue: (job, delayMs = 0) =>
      void queue
        .enqueue(job, { delayMs })
        .catch((error: unknown) =>
          logger.error('a job could not be handed over', { ...job, error }),
        ),
    bus,
    catalogue,
    llm,
    outputs,
    clock,
    newId: dependencies.newId ?? (() => v7()),
    policyOf: policyLookup(policies),
    // The sweeps of the workers read the stored deadlines.
    sweep: { wakeAt: () => undefined },
    maxQueuedRuns: dependencies.maxQueuedRuns ?? DEFAULT_MAX_QUEUED_RUNS,
    commit: (...change) => commits.commit(...change),
    closing: closing.signal,
  };
  return {
    ...createRunCommands(parts),
    async close() {
      closing.abort();
      await commits.close();
    },
  };
}
