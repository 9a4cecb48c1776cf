/** Successful results without an unnamed input request after which a tool counts as quiet. */
const ANSWERS = 3;

/**
 * Tools that are known not to send input requests: each has returned several results while the
 * server has sent no unnamed input request.
 */
export class QuietTools {
  readonly #answers = new Map<string, number>();

  /**
   * Counts a successful result. A failed call is not counted: it may have ended before its input
   * request.
   */
  answered(tool: string): void {
    this.#answers.set(tool, (this.#answers.get(tool) ?? 0) + 1);
  }

  has(tool: string): boolean {
    return (this.#answers.get(tool) ?? 0) >= ANSWERS;
  }
}
