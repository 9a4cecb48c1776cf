import type { Turns } from './turns.ts';

/** An indexed list of numbers: the characters of a text, or the ids of lines. */
export interface Sequence {
  readonly length: number;
  readonly at: (index: number) => number | undefined;
}

export function charactersOf(text: string): Sequence {
  return { length: text.length, at: (index) => text.charCodeAt(index) };
}

export function numbersOf(numbers: Int32Array): Sequence {
  return { length: numbers.length, at: (index) => numbers[index] };
}

/**
 * Calls `visit` with every position of `wanted` in `searched`, overlaps included, in linear time
 * (Knuth, Morris and Pratt).
 * @throws what `turns` throws
 */
export async function findSequence(
  searched: Sequence,
  wanted: Sequence,
  { visit, turns }: { readonly visit: (position: number) => void; readonly turns: Turns },
): Promise<void> {
  if (wanted.length === 0 || wanted.length > searched.length) return;
  const borders = await bordersOf(wanted, turns);
  let matched = 0;
  for (let index = 0; index < searched.length; index++) {
    if (index % checkedEvery === 0 && turns.isOver) await turns.pause();
    const item = searched.at(index);
    while (matched > 0 && wanted.at(matched) !== item) matched = borders[matched - 1] ?? 0;
    if (wanted.at(matched) === item) matched++;
    if (matched < wanted.length) continue;
    visit(index - matched + 1);
    matched = borders[matched - 1] ?? 0;
  }
}

const checkedEvery = 65_536;

/** Returns for each prefix the length of its longest suffix that is also a prefix. */
async function bordersOf(wanted: Sequence, turns: Turns): Promise<Int32Array> {
  const borders = new Int32Array(wanted.length);
  let length = 0;
  for (let index = 1; index < wanted.length; index++) {
    if (index % checkedEvery === 0 && turns.isOver) await turns.pause();
    const item = wanted.at(index);
    while (length > 0 && wanted.at(length) !== item) length = borders[length - 1] ?? 0;
    if (wanted.at(length) === item) length++;
    borders[index] = length;
  }
  return borders;
}
