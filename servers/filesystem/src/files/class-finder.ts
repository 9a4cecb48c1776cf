/**
 * Finds the ends of the character classes of a glob. Calls from left to right take linear time in
 * total.
 */
export class ClassFinder {
  readonly #characters: ArrayLike<string>;
  /** End of a name in which a class stays open, as do all later classes of the name. */
  #openUntil = 0;

  constructor(characters: ArrayLike<string>) {
    this.#characters = characters;
  }

  /**
   * Returns the index at which the class that opens at `start` closes, if it does. A first `]` is a
   * member.
   */
  endOf(start: number): number | undefined {
    if (start < this.#openUntil) return undefined;
    const characters = this.#characters;
    const first = start + (isNegation(characters[start + 1]) ? 2 : 1);
    let at = first;
    for (; at < characters.length && characters[at] !== '/'; at++) {
      if (characters[at] === '\\') at += 1;
      else if (characters[at] === ']' && at > first) return at;
    }
    this.#openUntil = at;
    return undefined;
  }
}

export function isNegation(character: string | undefined): boolean {
  return character === '!' || character === '^';
}
