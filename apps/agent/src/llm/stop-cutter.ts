/**
 * Finds stop sequences in streamed text for APIs without them. Holds back text that may begin a
 * stop sequence.
 */
export class StopCutter {
  readonly #sequences: readonly string[];
  #held = '';

  constructor(sequences: readonly string[]) {
    this.#sequences = sequences.filter((sequence) => sequence !== '');
  }

  /**
   * Returns the text to emit, and the stop sequence that ended it. Nothing may be pushed
   * afterwards.
   */
  push(delta: string): { readonly text: string; readonly hit: string | undefined } {
    const text = this.#held + delta;
    const [first] = this.#sequences
      .flatMap((sequence) =>
        text.includes(sequence) ? [{ sequence, at: text.indexOf(sequence) }] : [],
      )
      .toSorted((a, b) => a.at - b.at);
    if (first !== undefined) return { text: text.slice(0, first.at), hit: first.sequence };
    const keep = this.#beginningAtEnd(text);
    this.#held = text.slice(text.length - keep);
    return { text: text.slice(0, text.length - keep), hit: undefined };
  }

  /** Returns the text held back at the end. */
  flush(): string {
    const text = this.#held;
    this.#held = '';
    return text;
  }

  #beginningAtEnd(text: string): number {
    const longest = Math.max(0, ...this.#sequences.map((sequence) => sequence.length - 1));
    for (let length = Math.min(longest, text.length); length > 0; length -= 1) {
      const end = text.slice(text.length - length);
      if (this.#sequences.some((sequence) => sequence.startsWith(end))) return length;
    }
    return 0;
  }
}
