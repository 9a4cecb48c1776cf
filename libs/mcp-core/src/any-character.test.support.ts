import * as fc from 'fast-check';

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;
const LAST_INDEX = 0x10ffff - SURROGATES;

/**
 * Every character of Unicode, for strings: the characters of fast-check's unit `binary`, whose table of them takes a second and 80 MB.
 */
export const anyCharacter: fc.Arbitrary<string> = fc.nat({ max: LAST_INDEX }).map(
  (index) => String.fromCodePoint(index < FIRST_SURROGATE ? index : index + SURROGATES),
  (value) => {
    const point = typeof value === 'string' ? value.codePointAt(0) : undefined;
    if (point === undefined || value !== String.fromCodePoint(point))
      throw new Error(`${String(value)} is not a character`);
    return point < FIRST_SURROGATE ? point : point - SURROGATES;
  },
);
