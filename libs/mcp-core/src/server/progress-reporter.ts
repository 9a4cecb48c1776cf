import type { Progress } from '../protocol/capabilities.ts';

const INTERVAL_MS = 100;

/** Sends increasing progress at most every 100 ms. What had to wait is replaced by what follows; the last update is sent by `finish` at the latest. */
export class ProgressReporter {
  readonly #send: (progress: Progress) => void;
  #last = -Infinity;
  #waiting: Progress | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(send: (progress: Progress) => void) {
    this.#send = send;
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
    this.#timer = setTimeout(() => {
      this.#flush();
    }, INTERVAL_MS);
  }
}

/** JSON writes a total that is not finite as null, which no revision allows. */
function writable({ total, ...rest }: Progress): Progress {
  return total !== undefined && Number.isFinite(total) ? { ...rest, total } : rest;
}
