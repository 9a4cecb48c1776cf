import { ClassFinder, isNegation } from './class-finder.ts';
import { anything, matchSequence, type SequencePattern } from './match-sequence.ts';

/**
 * Compiles a glob of one name: `*`, `?`, `[...]` and ordinary characters; `\` escapes the next
 * character.
 */
export function compileName(glob: string): (name: string) => boolean {
  const pattern = parse(Array.from(glob));
  return (name) => matchSequence(pattern, hasSurrogates.test(name) ? Array.from(name) : name);
}

/** Characters outside the basic plane, which are two items of a string but one of an array. */
const hasSurrogates = /[\uD800-\uDFFF]/;

function parse(characters: readonly string[]): SequencePattern<string> {
  const pattern: SequencePattern<string>[number][] = [];
  const classes = new ClassFinder(characters);
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? '';
    const end = character === '[' ? classes.endOf(at) : undefined;
    if (end !== undefined) {
      pattern.push(characterClass(characters.slice(at + 1, end)));
      at = end;
    } else if (character === '*') {
      if (pattern.at(-1) !== anything) pattern.push(anything);
    } else if (character === '?') {
      pattern.push(() => true);
    } else {
      const isEscape = character === '\\' && at + 1 < characters.length;
      pattern.push(ordinary(isEscape ? (characters[++at] ?? '') : character));
    }
  }
  return pattern;
}

function ordinary(character: string): (item: string) => boolean {
  return (item) => item === character;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

function characterClass(members: readonly string[]): (item: string) => boolean {
  const isNegated = isNegation(members[0]);
  const ranges = rangesOf(codePoints(isNegated ? members.slice(1) : members));
  return (item) => {
    const code = item.codePointAt(0) ?? 0;
    return ranges.some(({ from, to }) => from <= code && code <= to) !== isNegated;
  };
}

interface Member {
  readonly code: number;
  readonly isDash: boolean;
}

function codePoints(characters: readonly string[]): readonly Member[] {
  const members: Member[] = [];
  for (let at = 0; at < characters.length; at++) {
    const isEscape = characters[at] === '\\' && at + 1 < characters.length;
    if (isEscape) at += 1;
    members.push({
      code: characters[at]?.codePointAt(0) ?? 0,
      isDash: characters[at] === '-' && !isEscape,
    });
  }
  return members;
}

/**
 * Returns the ranges of a character class. A dash between two members makes a range; a first or
 * last dash is a member.
 */
function rangesOf(members: readonly Member[]): readonly Range[] {
  const ranges: Range[] = [];
  for (let at = 0; at < members.length; at++) {
    const from = members[at]?.code ?? 0;
    const end = members[at + 1]?.isDash === true ? members[at + 2] : undefined;
    ranges.push({ from, to: end?.code ?? from });
    if (end !== undefined) at += 2;
  }
  return ranges;
}
