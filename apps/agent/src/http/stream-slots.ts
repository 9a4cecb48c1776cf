import { Problem } from './problem.ts';

/** Limits the number of open event streams. */
export class StreamSlots {
  readonly #limit: number;
  #open = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Reserves a slot and returns the release function. @throws Problem `too_many_streams` */
  take(): () => void {
    if (this.#open >= this.#limit)
      throw new Problem(
        'too_many_streams',
        `${this.#limit} event streams are open, which is the limit of this process; close one, or read the events in pages`,
      );
    this.#open += 1;
    let isTaken = true;
    return () => {
      if (isTaken) this.#open -= 1;
      isTaken = false;
    };
  }
}
