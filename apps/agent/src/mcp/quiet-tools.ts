/** The answers without an unnamed question after which a tool counts as one that does not ask. */
const ANSWERS = 3;

/** The tools of a server that are known not to ask: each has answered several calls, and the server has asked no question that names no call. */
export class QuietTools {
  readonly #answers = new Map<string, number>();

  /** Counts a successful answer. A failed call may have ended before the point at which the tool asks. */
  answered(tool: string): void {
    this.#answers.set(tool, (this.#answers.get(tool) ?? 0) + 1);
  }

  has(tool: string): boolean {
    return (this.#answers.get(tool) ?? 0) >= ANSWERS;
  }
}
