/** Milliseconds for which a worker owns its turns and calls after a heartbeat. */
export const LEASE_MS = 6_000;

/** Milliseconds between two heartbeats of a worker. */
export const HEARTBEAT_EVERY_MS = 2_000;

/** Part of the service that a process runs: the REST API, the runs, or both. */
export type WorkerRole = 'api' | 'worker' | 'all';

/** A process of the service. Times are milliseconds since the Unix epoch by the clock of the store. */
export interface Worker {
  readonly id: string;
  readonly role: WorkerRole;
  readonly pid: number;
  readonly startedAt: number;
  readonly heartbeatAt: number;
  /** Set when the process left, or when another process found that its lease was over. */
  readonly endedAt: number | undefined;
}

/** A model call, or a sent tool call, that a worker owns. */
export interface OwnedWork {
  readonly runId: string;
  /** Undefined for a model call. */
  readonly callId: string | undefined;
}

export interface WorkerReader {
  /** Returns the workers that have not ended, oldest first. Their leases may be over. */
  workers(): Promise<readonly Worker[]>;
  /** Returns the ids of ended workers that are not removed, such as those that own calls. */
  endedWorkers(): Promise<readonly string[]>;
  /** Whether the worker has not ended and its lease is not over. */
  isAlive(workerId: string): Promise<boolean>;
  /** Whether the worker has not ended. Its lease may be over, and it may still renew it. */
  hasLease(workerId: string): Promise<boolean>;
  /**
   * Returns runs with a model call, a sent tool call or an inbox item whose owner has ended or was
   * removed. Of runs that have ended only the sent tool calls count.
   */
  orphanedRuns(options: { readonly limit: number }): Promise<readonly string[]>;
  /**
   * Returns the model calls and sent tool calls that a worker owns. Of runs that have ended only the
   * sent tool calls count.
   */
  ownedWork(workerId: string): Promise<readonly OwnedWork[]>;
}

export interface WorkerWriter {
  /** Adds a worker with its first heartbeat. */
  addWorker(worker: Pick<Worker, 'id' | 'role' | 'pid'>): Promise<void>;
  /** Renews the lease of a worker. Returns false, and changes nothing, when it has ended. */
  beat(workerId: string): Promise<boolean>;
  /**
   * Ends the workers whose lease is over, except one, and returns their ids. A heartbeat of the
   * future, from before the clock was set back, counts as sent now.
   */
  endExpiredWorkers(options: { readonly except: string }): Promise<readonly string[]>;
  /** Ends a worker. What it owns is then continued by other workers. */
  endWorker(workerId: string): Promise<void>;
  /** Removes the ended workers that own nothing. */
  removeEndedWorkers(): Promise<void>;
}

/** Thrown for a write of a worker that has ended. Its turns and calls belong to other workers. */
export class LeaseLostError extends Error {
  readonly workerId: string;

  constructor(workerId: string) {
    super(
      `The worker ${workerId} sent no heartbeat for ${LEASE_MS} ms, so other workers continue its runs. It joins again under a new id.`,
    );
    this.name = 'LeaseLostError';
    this.workerId = workerId;
  }
}
