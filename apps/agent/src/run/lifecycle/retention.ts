import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Store } from '../../ports/store.ts';
import { WEBHOOK_DISABLED } from '../../ports/store/webhook.ts';
import { KEY_RETENTION_MS } from '../../ports/store/idempotency.ts';
import type { DueRun, RetentionCutoffs } from '../../ports/store/retention.ts';
import { SETTLED_STATUSES, type SettledStatus } from '../../ports/store/run.ts';

/** Days for which ended runs are kept, by status. Runs of a missing status are kept forever. */
export type RetentionDays = { readonly [S in SettledStatus]?: number | undefined };

const DAY_MS = 24 * 60 * 60 * 1000;
/** Milliseconds from the start to the first sweep, so that it does not delay the start. */
const FIRST_SWEEP_MS = 60 * 1000;
/** Milliseconds from the end of a sweep to the next. */
export const RETENTION_SWEEP_EVERY_MS = 60 * 60 * 1000;
/** Milliseconds between two transactions of a sweep, in which other writers run. */
export const RETENTION_PAUSE_MS = 20;
const DELIVERY_DAYS = 7;
/** Maximum number of webhook deliveries that one transaction deletes. */
const DELIVERIES = 500;
/** Maximum number of due runs in one read. */
const BATCH = 50;

export interface RetentionOptions {
  readonly clock: Clock;
  readonly store: Pick<Store, 'read' | 'write'>;
  readonly logger: Logger;
  readonly days: RetentionDays;
  /** Days after their end for which webhook deliveries are kept. Default: 7. */
  readonly deliveryDays?: number | undefined;
  /** Receives the number of runs that a transaction deleted. */
  readonly onDeleted: (runs: number) => void;
}

/**
 * Deletes the runs and webhook deliveries that ended longer ago than their retention, in small
 * transactions with pauses, and expired idempotency keys. A sweep that was interrupted is completed by the next, in this process or another.
 */
export class RetentionSweep {
  readonly #options: RetentionOptions;
  #isClosing = false;
  #cancel: () => void = () => undefined;
  #endPause: () => void = () => undefined;
  #sweeping: Promise<void> | undefined;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  /** Begins to sweep a minute later, and then every hour. */
  start(): void {
    this.#schedule(FIRST_SWEEP_MS);
  }

  /** Stops sweeping. Resolves when the transaction in progress has ended. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#cancel();
    this.#endPause();
    await this.#sweeping;
  }

  #schedule(ms: number): void {
    if (this.#isClosing) return;
    this.#cancel = this.#options.clock.after(ms, () => {
      this.#sweeping = this.#sweep().finally(() => this.#schedule(RETENTION_SWEEP_EVERY_MS));
    });
  }

  async #sweep(): Promise<void> {
    const { clock, logger, store } = this.#options;
    let runs = 0;
    try {
      await store.write({}, (sql) => sql.releaseKeysBefore(clock.now() - KEY_RETENTION_MS));
      await this.#deleteUploads();
      await this.#deleteRows();
      for (const status of SETTLED_STATUSES) runs += await this.#sweepStatus(status);
      await this.#deleteDeliveries();
    } catch (error) {
      logger.error('runs after their retention could not be deleted; the next sweep continues', {
        error,
      });
    }
    if (runs > 0) logger.info('runs were deleted after their retention', { runs });
  }

  async #sweepStatus(status: SettledStatus): Promise<number> {
    const { clock, store, onDeleted } = this.#options;
    const cutoffs = this.#cutoffs(clock.now());
    const endedBy = cutoffs[status];
    if (endedBy === undefined) return 0;
    let deleted = 0;
    for (let after: DueRun | undefined; !this.#isClosing;) {
      const due = await store.read.dueRuns({ status, endedBy, after, limit: BATCH });
      for (const run of due) {
        const runs = await store.write({ run: run.id }, (sql) => sql.eraseDueRuns(run, cutoffs));
        deleted += runs;
        if (runs > 0) onDeleted(runs);
      }
      await this.#deleteRows();
      if (due.length < BATCH) break;
      after = due.at(-1);
    }
    return deleted;
  }

  /** Deletes the uploads that were given to no run within a day. */
  async #deleteUploads(): Promise<void> {
    const { store, clock } = this.#options;
    const before = clock.now() - DAY_MS;
    for (let isRest = true; isRest && !this.#isClosing;) {
      isRest = await store.write({}, (sql) => sql.deleteUploads(before));
      if (isRest) await this.#pause();
    }
  }

  /**
   * Deletes the webhook deliveries that are past their retention, and those of deleted webhooks; ends
   * those of disabled webhooks.
   */
  async #deleteDeliveries(): Promise<void> {
    const { store, clock, deliveryDays = DELIVERY_DAYS } = this.#options;
    await store.write({}, (sql) => sql.endDeliveriesOfDisabled(WEBHOOK_DISABLED, clock.now()));
    const before = clock.now() - deliveryDays * DAY_MS;
    for (let isRest = true; isRest && !this.#isClosing;) {
      isRest = await store.write({}, (sql) => sql.deleteDeliveries({ before, limit: DELIVERIES }));
      if (isRest) await this.#pause();
    }
  }

  /** Deletes the rows of erased runs. */
  async #deleteRows(): Promise<void> {
    const { store } = this.#options;
    for (let isRest = true; isRest && !this.#isClosing;) {
      isRest = await store.write({}, (sql) => sql.deleteErased());
      await this.#pause();
    }
  }

  #cutoffs(now: number): RetentionCutoffs {
    return Object.fromEntries(
      Object.entries(this.#options.days).flatMap(([status, days]) =>
        days === undefined ? [] : [[status, now - days * DAY_MS]],
      ),
    );
  }

  async #pause(): Promise<void> {
    if (this.#isClosing) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#endPause = resolve;
    const cancel = this.#options.clock.after(RETENTION_PAUSE_MS, resolve);
    await promise;
    cancel();
  }
}
