/** Maximum number of concurrent POSTs: the number of input requests that one call may have open. */
const MAX_POSTS = 16;
/** Number of unsent and waiting responses above which reading from the server pauses. */
const MAX_WAITING = 64;

/** A queue of responses to the server: a few are posted at a time, the others wait in order. */
export class ResponseQueue {
  readonly #waiting: (() => void)[] = [];
  #posting = 0;
  #room: PromiseWithResolvers<void> | undefined;

  /** Whether reading from the server should pause until `room`. */
  get isFull(): boolean {
    return this.#posting + this.#waiting.length > MAX_WAITING;
  }

  /** Resolves when few responses wait. */
  async room(): Promise<void> {
    if (!this.isFull) return;
    this.#room ??= Promise.withResolvers<void>();
    await this.#room.promise;
  }

  /** Posts a response when its turn comes; settles as `send` does. */
  async post(send: () => Promise<void>): Promise<void> {
    if (this.#posting >= MAX_POSTS)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#posting += 1;
    try {
      await send();
    } finally {
      this.#leave();
    }
  }

  /** Passes the slot to the next waiting response. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#posting -= 1;
    else next();
    if (this.isFull) return;
    this.#room?.resolve();
    this.#room = undefined;
  }
}
