import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import { HEARTBEAT_EVERY_MS, LEASE_MS } from '../../ports/store/worker.ts';
import type { Store } from '../../ports/store.ts';

export interface LeaseOptions {
  readonly store: Pick<Store, 'workerId' | 'write'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether this process ends the workers whose leases are over, to continue their runs. */
  readonly endsOthers: boolean;
  /** Joins again after other workers ended the process with this id. */
  readonly rejoin: (workerId: string) => Promise<void>;
}

/** The lease of this process. */
export class Lease {
  readonly #options: LeaseOptions;
  #renewedAt: number;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#renewedAt = options.clock.now();
  }

  /** Whether the next heartbeat is due. */
  get isDue(): boolean {
    // A clock that was set back does not extend the wait.
    return Math.abs(this.#options.clock.now() - this.#renewedAt) >= HEARTBEAT_EVERY_MS;
  }

  /** Sends a heartbeat, and joins again when the lease was ended. */
  async renew(): Promise<void> {
    const { store, clock, logger, endsOthers, rejoin } = this.#options;
    const { workerId } = store;
    const before = this.#renewedAt;
    const { isKept, ended } = await store.write(
      {},
      async (sql) => {
        const isRenewed = await sql.beat(workerId);
        // After a pause of the whole machine the others had no time to send a heartbeat either.
        const wasPaused = clock.now() >= before + LEASE_MS;
        return {
          isKept: isRenewed,
          ended: endsOthers && !wasPaused ? await sql.endExpiredWorkers({ except: workerId }) : [],
        };
      },
      { urgent: true },
    );
    this.#renewedAt = clock.now();
    for (const worker of ended)
      logger.warn('a worker sent no heartbeat; its runs continue on other workers', { worker });
    if (!isKept) await rejoin(workerId);
  }
}
