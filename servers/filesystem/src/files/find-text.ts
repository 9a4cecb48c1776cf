import { charactersOf, findSequence } from './find-sequence.ts';
import type { Turns } from './turns.ts';

export interface Occurrences {
  /** Number of occurrences, overlaps included. */
  readonly count: number;
  /** The first ten positions. */
  readonly first: readonly number[];
  /**
   * Positions of occurrences that do not overlap, from the start of the text; at most
   * `maxReplacements` + 1.
   */
  readonly disjoint: readonly number[];
}

/** Maximum number of occurrences that one edit replaces. */
export const maxReplacements = 1_000_000;
const maxQuoted = 10;

/**
 * Finds every occurrence of a text in another, in linear time.
 * @throws what `turns` throws
 */
export async function findText(text: string, wanted: string, turns: Turns): Promise<Occurrences> {
  const first: number[] = [];
  const disjoint: number[] = [];
  let count = 0;
  let end = 0;
  const visit = (position: number) => {
    if (count < maxQuoted) first.push(position);
    count++;
    if (position < end || disjoint.length > maxReplacements) return;
    disjoint.push(position);
    end = position + wanted.length;
  };
  if (text.length * wanted.length > maxProduct)
    await findSequence(charactersOf(text), charactersOf(wanted), { visit, turns });
  else await findNatively(text, wanted, { visit, turns });
  return { count, first, disjoint };
}

/**
 * Largest product of both lengths for the search of the JavaScript engine, which is fast for
 * ordinary texts, but takes quadratic time for hostile ones and cannot be interrupted.
 */
const maxProduct = 20_000_000;

async function findNatively(
  text: string,
  wanted: string,
  { visit, turns }: { readonly visit: (position: number) => void; readonly turns: Turns },
): Promise<void> {
  let found = 0;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    visit(at);
    found++;
    if (found % 4096 === 0 && turns.isOver) await turns.pause();
  }
}
