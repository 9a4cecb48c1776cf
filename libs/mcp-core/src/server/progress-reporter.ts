import type { Progress } from '../protocol/capabilities.ts';

/** How often progress is sent at most where nothing else is configured, in milliseconds. */
export const DEFAULT_PROGRESS_INTERVAL_MS = 100;

export interface ProgressPace {
  /** Shortest time between two updates, in milliseconds; 0 sends each one, until the reader is slow. */
  readonly intervalMs: number;
  /** Whether the reader is slow. */
  isCongested(): boolean;
}

const UNHURRIED: ProgressPace = { intervalMs: DEFAULT_PROGRESS_INTERVAL_MS, isCongested: () => false };

/** Sends increasing progress, paced. What had to wait is replaced by what follows; the last update is sent by `finish` at the latest. */
export class ProgressReporter {
  readonly #send: (progress: Progress) => void;
  readonly #pace: ProgressPace;
  #last = -Infinity;
  #waiting: Progress | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(send: (progress: Progress) => void, pace = UNHURRIED) {
    this.#send = send;
    this.#pace = pace;
  }

  report(update: Progress): void {
    if (!Number.isFinite(update.progress) || update.progress <= this.#last) return;
    this.#last = update.progress;
    this.#waiting = writable(update);
    if (this.#timer === undefined) this.#flush();
  }

  /** Sends what waits, then nothing more. */
  finish(): void {
    clearTimeout(this.#timer);
    this.#last = Infinity;
    if (this.#waiting !== undefined) this.#send(this.#waiting);
    this.#waiting = undefined;
  }

  /** Drops what waits, then sends nothing more. */
  silence(): void {
    this.#waiting = undefined;
    this.finish();
  }

  #flush(): void {
    this.#timer = undefined;
    if (this.#waiting === undefined) return;
    this.#send(this.#waiting);
    this.#waiting = undefined;
    const { intervalMs } = this.#pace;
    if (intervalMs === 0 && !this.#pace.isCongested()) return;
    this.#timer = setTimeout(() => {
      this.#flush();
    }, intervalMs || DEFAULT_PROGRESS_INTERVAL_MS);
  }
}

/** JSON writes a total that is not finite as null, which no revision allows. */
function writable({ total, ...rest }: Progress): Progress {
  return total !== undefined && Number.isFinite(total) ? { ...rest, total } : rest;
}
