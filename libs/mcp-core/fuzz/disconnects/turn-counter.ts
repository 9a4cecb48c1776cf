import { createHook } from 'node:async_hooks';

/**
 * Counts the turns of this process: each continuation of an `await` and each callback. Calls back
 * immediately before a chosen turn, so that something can happen at each `await`.
 */
export class TurnCounter {
  readonly #hook = createHook({
    before: () => {
      this.#turn += 1;
      const call = this.#calls.get(this.#turn);
      if (call === undefined) return;
      this.#calls.delete(this.#turn);
      call();
    },
  });
  readonly #calls = new Map<number, () => void>();
  #turn = 0;

  /** Turns since `start`. */
  get turn(): number {
    return this.#turn;
  }

  /** Starts at turn 0. */
  start(): void {
    this.#turn = 0;
    this.#calls.clear();
    this.#hook.enable();
  }

  /** Calls back once before the given turn, if it comes. */
  at(turn: number, call: () => void): void {
    const earlier = this.#calls.get(turn);
    this.#calls.set(turn, () => {
      earlier?.();
      call();
    });
  }

  stop(): void {
    this.#hook.disable();
  }
}
