import type pg from 'pg';
import type { Clock } from '../../ports/clock.ts';

/**
 * The time of the database server, so that leases of workers on several machines are measured by
 * one clock. Computed from this machine's clock and the last measured difference.
 */
export class ServerClock implements Clock {
  readonly #local: Clock;
  #aheadMs = 0;

  constructor(local: Clock) {
    this.#local = local;
  }

  now(): number {
    return this.#local.now() + this.#aheadMs;
  }

  after(ms: number, callback: () => void): () => void {
    return this.#local.after(ms, callback);
  }

  /** Measures the difference, to half of the time that the answer takes. */
  async measure(client: pg.Client): Promise<void> {
    const sentAt = this.#local.now();
    const { rows } = await client.query<{ now: number }>(
      'select extract(epoch from clock_timestamp()) * 1000 as now',
    );
    const now = rows[0]?.now;
    if (now !== undefined) this.#aheadMs = Math.round(now - (sentAt + this.#local.now()) / 2);
  }
}
