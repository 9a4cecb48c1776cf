import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Store } from '../ports/store.ts';
import { FailureLog } from '../run/core/failure-log.ts';
import { Lease } from '../run/core/lease.ts';
import { HEARTBEAT_EVERY_MS } from '../ports/store/worker.ts';

export interface HeartbeatOptions {
  readonly store: Pick<Store, 'workerId' | 'write' | 'join'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Renews the lease of a process without a sweep every two seconds, so that the idempotency keys of
 * its requests stay its own. A process whose lease was ended joins again.
 */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #lease: Lease;
  readonly #failures: FailureLog;
  #stopTimer: () => void = () => undefined;
  #beating: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    const { store, logger } = options;
    this.#failures = new FailureLog(
      logger,
      'the lease of this process could not be renewed; this will be retried',
    );
    this.#lease = new Lease({ ...options, endsOthers: false, rejoin: () => store.join() });
  }

  start(): void {
    if (this.#isClosed) return;
    this.#stopTimer = this.#options.clock.after(HEARTBEAT_EVERY_MS, () => {
      this.#beating = this.#beat().finally(() => this.start());
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopTimer();
    await this.#beating;
  }

  async #beat(): Promise<void> {
    try {
      await this.#lease.renew();
      this.#failures.succeeded();
    } catch (error) {
      this.#failures.failed(error);
    }
  }
}
