/** Counts input requests that are open. */
export class OpenCount {
  readonly #onChanged: (areOpen: boolean) => void;
  #count = 0;

  /** `onChanged` is called when the first input request opens and when the last one closes. */
  constructor(onChanged: (areOpen: boolean) => void) {
    this.#onChanged = onChanged;
  }

  /** Counts an input request as open until the work settles. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#count += 1;
    if (this.#count === 1) this.#onChanged(true);
    try {
      return await work();
    } finally {
      this.#count -= 1;
      if (this.#count === 0) this.#onChanged(false);
    }
  }
}
