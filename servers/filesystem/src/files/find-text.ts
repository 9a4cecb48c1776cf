import { charactersOf, findSequence } from './find-sequence.ts';
import type { Turns } from './turns.ts';

export interface Occurrences {
  /** All, overlapping ones included. */
  readonly count: number;
  /** The first ten positions. */
  readonly first: readonly number[];
  /** Positions of those that do not overlap, from the start of the text; at most `maxReplacements` and one more. */
  readonly disjoint: readonly number[];
}

/** Occurrences one edit replaces. */
export const maxReplacements = 1_000_000;
const maxQuoted = 10;

/**
 * Every occurrence of a text in another, in time linear in both.
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

/** The engine's search is the fastest for ordinary texts, but may take a time of the product of both lengths and cannot be interrupted. */
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
