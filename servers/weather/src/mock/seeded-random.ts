/**
 * Returns a generator of numbers from 0 up to 1 that depend on `seed` only: a 32-bit FNV-1a hash
 * seeds a linear congruential generator with mixed output.
 */
export function seededRandom(seed: string): () => number {
  let state = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(seed)) state = Math.imul(state ^ byte, 0x01000193);
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x45d9f3b);
    mixed ^= mixed >>> 16;
    return (mixed >>> 0) / 2 ** 32;
  };
}
