/** Finds the ends of the character classes of a glob, in time proportional to its length when asked from left to right. */
export class ClassFinder {
  readonly #characters: ArrayLike<string>;
  /** Where a name ends in which a class stays open; those that open later in it stay open too. */
  #openUntil = 0;

  constructor(characters: ArrayLike<string>) {
    this.#characters = characters;
  }

  /** Where the class that opens at `start` closes, if it does; a `]` that comes first is a member. */
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
