import type { Clock } from '../../ports/clock.ts';
import type { ProgressReader, Retry } from '../../ports/store/progress.ts';

/**
 * Milliseconds between two reads of the stored retries. Retries of other processes, and jumps of
 * the clock, are noticed within this time.
 */
export const SWEEP_EVERY_MS = 2_000;

/** Maximum number of retries in one read. */
const BATCH = 200;

export interface RetrySweepOptions {
  readonly clock: Clock;
  readonly read: Pick<ProgressReader, 'retries'>;
  /** Receives each due run at every sweep, until an attempt of it is claimed. Must not throw. */
  readonly onDue: (runId: string) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Finds the runs whose model call is to be retried. The deadlines are in the store; one timer waits
 * for the earliest of them, and for at most `SWEEP_EVERY_MS`.
 */
export class RetrySweep {
  readonly #options: RetrySweepOptions;
  #nextAt = Infinity;
  #cancel: () => void = () => undefined;
  #sweeping: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: RetrySweepOptions) {
    this.#options = options;
  }

  /** Begins to sweep. Resolves after the first sweep. */
  async start(): Promise<void> {
    await this.#sweep();
  }

  /** Moves the next sweep forward to `time`, if it is later. */
  wakeAt(time: number): void {
    if (time >= this.#nextAt) return;
    this.#nextAt = time;
    if (this.#sweeping === undefined) this.#arm();
  }

  /** Stops sweeping. Resolves when the sweep in progress has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    await this.#sweeping;
  }

  #arm(): void {
    this.#cancel();
    if (this.#isClosed) return;
    const waitMs = Math.max(0, this.#nextAt - this.#options.clock.now());
    this.#cancel = this.#options.clock.after(
      Math.min(waitMs, SWEEP_EVERY_MS),
      () => void this.#sweep(),
    );
  }

  async #sweep(): Promise<void> {
    const { clock, onError } = this.#options;
    this.#sweeping = (async () => {
      do {
        this.#nextAt = clock.now() + SWEEP_EVERY_MS;
        try {
          await this.#reportDue(clock.now());
        } catch (error) {
          onError(error);
        }
        // The clock may have passed the next deadline during the reads.
      } while (!this.#isClosed && clock.now() >= this.#nextAt);
    })();
    await this.#sweeping;
    this.#sweeping = undefined;
    this.#arm();
  }

  async #reportDue(now: number): Promise<void> {
    const { read, onDue } = this.#options;
    const until = now + SWEEP_EVERY_MS;
    for (let after: Retry | undefined; !this.#isClosed;) {
      const page = await read.retries({ until, after, limit: BATCH });
      for (const { runId, retryAt } of page) {
        if (retryAt > now) {
          this.#nextAt = Math.min(this.#nextAt, retryAt);
          return;
        }
        onDue(runId);
      }
      if (page.length < BATCH) return;
      after = page.at(-1);
    }
  }
}
