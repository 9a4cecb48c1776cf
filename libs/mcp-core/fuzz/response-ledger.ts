import { setImmediate as nextTurn } from 'node:timers/promises';
import { responseKey, LOOSE_ID, type ResponseKey } from './expected-responses.ts';

/** Compares the received responses with the expected ones. */
export class ResponseLedger {
  readonly #due = new Map<ResponseKey, number>();
  readonly #unexpected: string[] = [];
  #answers = 0;

  /** Returns the number of responses since the last call. */
  takeCount(): number {
    const count = this.#answers;
    this.#answers = 0;
    return count;
  }

  expect(keys: readonly ResponseKey[]): void {
    for (const key of keys) if (!isLoose(key)) this.#change(key, 1);
  }

  take(value: unknown): void {
    for (const answer of Array.isArray(value) ? (value as unknown[]) : [value]) {
      const key = responseKey(answer);
      if (key === undefined) continue;
      this.#answers += 1;
      if (isLoose(key)) continue;
      if (this.#due.has(key)) this.#change(key, -1);
      else this.#unexpected.push(JSON.stringify(answer).slice(0, 200));
    }
  }

  /**
   * Resolves when every expected response has arrived.
   * @throws Error when a response is missing or unexpected.
   */
  async settle(limitMs: number): Promise<void> {
    const deadline = performance.now() + limitMs;
    while (this.#due.size > 0 && this.#unexpected.length === 0 && performance.now() < deadline)
      await nextTurn();
    if (this.#unexpected.length > 0)
      throw new Error(`an answer nobody waits for: ${String(this.#unexpected[0])}`);
    if (this.#due.size > 0)
      throw new Error(
        `unanswered after ${String(limitMs)} ms: ${[...this.#due.keys()].slice(0, 5).join(', ')}`,
      );
  }

  #change(key: ResponseKey, by: number): void {
    const count = (this.#due.get(key) ?? 0) + by;
    if (count === 0) this.#due.delete(key);
    else this.#due.set(key, count);
  }
}

function isLoose(key: ResponseKey): boolean {
  return key.startsWith(`string ${LOOSE_ID}`);
}
