import type { Progress } from '../../protocol/progress.ts';

/** Default shortest time between two updates in milliseconds. */
export const DEFAULT_PROGRESS_INTERVAL_MS = 100;

/** Returned for an update after which the reader can take more immediately. */
export const READY = Promise.resolve();

export interface ProgressPace {
  /** Shortest time between two updates in milliseconds; 0 sends every update until the reader is slow. */
  readonly intervalMs: number;
  /** Whether the reader is slow. */
  isCongested(): boolean;
}

const DEFAULT_PACE: ProgressPace = {
  intervalMs: DEFAULT_PROGRESS_INTERVAL_MS,
  isCongested: () => false,
};

/** Sends increasing progress at a limited rate. A pending update is replaced by a later one; `finish` sends the last one. */
export class ProgressReporter {
  readonly #send: (progress: Progress) => PromiseLike<void> | undefined;
  readonly #pace: ProgressPace;
  #last = -Infinity;
  #waiting: Progress | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Resolves when the update that waits for a slow reader is sent. */
  #flushed: PromiseWithResolvers<void> | undefined;

  /** `send` resolves when the reader can take more; `undefined`: immediately. */
  constructor(send: (progress: Progress) => PromiseLike<void> | undefined, pace = DEFAULT_PACE) {
    this.#send = send;
    this.#pace = pace;
  }

  /** Reports an update. Resolves when the reader can take more; immediately for an update that only waits for its interval. Never rejects. */
  report(update: Progress): PromiseLike<void> {
    if (!Number.isFinite(update.progress) || update.progress <= this.#last) return READY;
    this.#last = update.progress;
    this.#waiting = withFiniteTotal(update);
    if (this.#timer === undefined) return this.#flush();
    if (this.#pace.intervalMs > 0) return READY;
    this.#flushed ??= Promise.withResolvers();
    return this.#flushed.promise;
  }

  /** Sends the pending update and ignores later ones. */
  finish(): void {
    clearTimeout(this.#timer);
    this.#last = Infinity;
    this.#sendWaiting();
  }

  /** Drops the pending update and ignores later ones. */
  silence(): void {
    this.#waiting = undefined;
    this.finish();
  }

  #flush(): PromiseLike<void> {
    this.#timer = undefined;
    if (this.#waiting === undefined) return READY;
    const taken = this.#sendWaiting();
    const { intervalMs } = this.#pace;
    if (intervalMs === 0 && !this.#pace.isCongested()) return taken;
    this.#timer = setTimeout(() => {
      void this.#flush();
    }, intervalMs || DEFAULT_PROGRESS_INTERVAL_MS);
    return taken;
  }

  #sendWaiting(): PromiseLike<void> {
    const taken = (this.#waiting && this.#send(this.#waiting)) ?? READY;
    this.#waiting = undefined;
    this.#flushed?.resolve(taken);
    this.#flushed = undefined;
    return taken;
  }
}

/** Removes a total that is not finite: JSON would write it as null, which no revision allows. */
function withFiniteTotal({ total, ...rest }: Progress): Progress {
  return total !== undefined && Number.isFinite(total) ? { ...rest, total } : rest;
}
