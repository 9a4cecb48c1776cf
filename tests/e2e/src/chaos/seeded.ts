/** Random numbers that depend only on the seed. */
export interface Seeded {
  /** Returns an integer from `from` to `to`, both included. */
  between(from: number, to: number): number;
  /** Returns one of the values. */
  pick<const T>(values: readonly [T, ...T[]]): T;
  /** Returns further random numbers, which do not depend on how many of these are used. */
  fork(): Seeded;
}

/** Creates random numbers from a seed, by the algorithm mulberry32. */
export function seeded(seed: number): Seeded {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const between = (from: number, to: number): number =>
    from + Math.floor((next() / 2 ** 32) * (to - from + 1));
  return {
    between,
    pick: (values) => values[between(0, values.length - 1)] ?? values[0],
    fork: () => seeded(next()),
  };
}
