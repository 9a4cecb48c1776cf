/** Answers that may be under way at once: as many as the questions of one call that may be open. */
const MAX_POSTS = 16;
/** With more answers that are under way or wait, nothing more of the server is read. */
const MAX_WAITING = 64;

/** The answers of ours on their way to a server: a few are posted at a time, the others wait in order. */
export class AnswerPosts {
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;
  #room: PromiseWithResolvers<void> | undefined;

  /** Whether so many answers wait that the server should be asked for nothing more until `room`. */
  get isFull(): boolean {
    return this.#underWay + this.#waiting.length > MAX_WAITING;
  }

  /** Resolves when few answers wait. */
  async room(): Promise<void> {
    if (!this.isFull) return;
    this.#room ??= Promise.withResolvers<void>();
    await this.#room.promise;
  }

  /** Posts an answer when its turn comes; settles as `send` does. */
  async post(send: () => Promise<void>): Promise<void> {
    if (this.#underWay >= MAX_POSTS)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#underWay += 1;
    try {
      await send();
    } finally {
      this.#leave();
    }
  }

  /** The place goes to the next in line. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#underWay -= 1;
    else next();
    if (this.isFull) return;
    this.#room?.resolve();
    this.#room = undefined;
  }
}
