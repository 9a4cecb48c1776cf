import { Problem } from './problem.ts';

/** Default limit of the open event streams of one run. */
export const DEFAULT_MAX_STREAMS_PER_RUN = 2000;

/** Limits the number of open event streams, in total and of each run. */
export class StreamSlots {
  readonly #limit: number;
  readonly #limitPerRun: number;
  readonly #byRun = new Map<string, number>();
  #open = 0;

  constructor(limit: number, limitPerRun: number = DEFAULT_MAX_STREAMS_PER_RUN) {
    this.#limit = limit;
    this.#limitPerRun = limitPerRun;
  }

  /** Reserves a slot and returns the release function. @throws Problem `too_many_streams` */
  take(): () => void {
    if (this.#open >= this.#limit)
      throw new Problem(
        'too_many_streams',
        `${this.#limit} event streams are open, which is the limit of this process; close one, or read the events in pages`,
      );
    this.#open += 1;
    return once(() => {
      this.#open -= 1;
    });
  }

  /** Reserves a slot of a run and returns the release function. @throws Problem `too_many_streams` */
  takeOfRun(runId: string): () => void {
    const open = this.#byRun.get(runId) ?? 0;
    if (open >= this.#limitPerRun)
      throw new Problem(
        'too_many_streams',
        `${open} event streams of the run ${runId} are open, and max_streams_per_run of the configuration allows ${this.#limitPerRun}; close one, or read the events in pages`,
      );
    this.#byRun.set(runId, open + 1);
    return once(() => {
      const left = (this.#byRun.get(runId) ?? 0) - 1;
      if (left > 0) this.#byRun.set(runId, left);
      else this.#byRun.delete(runId);
    });
  }
}

function once(release: () => void): () => void {
  let isReleased = false;
  return () => {
    if (!isReleased) release();
    isReleased = true;
  };
}
