import { TAKEN } from '../../jsonrpc/transport.ts';
import type { Progress } from '../../protocol/progress.ts';

/** How often progress is sent at most where nothing else is configured, in milliseconds. */
export const DEFAULT_PROGRESS_INTERVAL_MS = 100;

export interface ProgressPace {
  /** Shortest time between two updates, in milliseconds; 0 sends each one, until the reader is slow. */
  readonly intervalMs: number;
  /** Whether the reader is slow. */
  isCongested(): boolean;
}

const UNHURRIED: ProgressPace = {
  intervalMs: DEFAULT_PROGRESS_INTERVAL_MS,
  isCongested: () => false,
};

/** Sends increasing progress, paced. What had to wait is replaced by what follows; the last update is sent by `finish` at the latest. */
export class ProgressReporter {
  readonly #send: (progress: Progress) => PromiseLike<void>;
  readonly #pace: ProgressPace;
  #last = -Infinity;
  #waiting: Progress | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Of the update that waits because the reader is slow. */
  #flushed: PromiseWithResolvers<void> | undefined;

  /** `send` resolves when the reader can take more. */
  constructor(send: (progress: Progress) => PromiseLike<void>, pace = UNHURRIED) {
    this.#send = send;
    this.#pace = pace;
  }

  /** Resolves when another update would not be ahead of the reader: at once for one that only waits for its interval. Never rejects. */
  report(update: Progress): PromiseLike<void> {
    if (!Number.isFinite(update.progress) || update.progress <= this.#last) return TAKEN;
    this.#last = update.progress;
    this.#waiting = writable(update);
    if (this.#timer === undefined) return this.#flush();
    if (this.#pace.intervalMs > 0) return TAKEN;
    this.#flushed ??= Promise.withResolvers();
    return this.#flushed.promise;
  }

  /** Sends what waits, then nothing more. */
  finish(): void {
    clearTimeout(this.#timer);
    this.#last = Infinity;
    this.#sendWaiting();
  }

  /** Drops what waits, then sends nothing more. */
  silence(): void {
    this.#waiting = undefined;
    this.finish();
  }

  #flush(): PromiseLike<void> {
    this.#timer = undefined;
    if (this.#waiting === undefined) return TAKEN;
    const taken = this.#sendWaiting();
    const { intervalMs } = this.#pace;
    if (intervalMs === 0 && !this.#pace.isCongested()) return taken;
    this.#timer = setTimeout(() => {
      void this.#flush();
    }, intervalMs || DEFAULT_PROGRESS_INTERVAL_MS);
    return taken;
  }

  #sendWaiting(): PromiseLike<void> {
    const taken = this.#waiting === undefined ? TAKEN : this.#send(this.#waiting);
    this.#waiting = undefined;
    this.#flushed?.resolve(taken);
    this.#flushed = undefined;
    return taken;
  }
}

/** JSON writes a total that is not finite as null, which no revision allows. */
function writable({ total, ...rest }: Progress): Progress {
  return total !== undefined && Number.isFinite(total) ? { ...rest, total } : rest;
}
