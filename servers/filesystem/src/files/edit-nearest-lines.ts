import type { Turns } from './turns.ts';

/**
 * Returns the most similar lines of a text with their numbers, for an error that helps to correct
 * the call.
 * @throws what `turns` throws
 */
export async function nearestLines(
  text: string,
  wanted: readonly string[],
  turns: Turns,
): Promise<string> {
  const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  const key = wanted.map((line) => line.trim());
  const start = (await bestWindow(lines, key, turns)) ?? (await mostSimilarLine(lines, key, turns));
  if (start === undefined) return 'No line of the file is like it; read the file again.';
  const from = Math.max(0, start - 1);
  const quoted = lines.slice(
    from,
    Math.min(lines.length, from + Math.min(wanted.length, maxQuotedLines) + 2),
  );
  const numbered = quoted.map(
    (line, index) =>
      `${from + index + 1}\t${line.length > maxQuotedLength ? `${line.slice(0, maxQuotedLength)}…` : line}`,
  );
  return `The nearest lines are:\n${numbered.join('\n')}`;
}

const maxQuotedLines = 12;
const maxQuotedLength = 300;

/**
 * Returns the position at which most lines match without surrounding white space; at least one line
 * that is not blank.
 */
async function bestWindow(
  lines: readonly string[],
  key: readonly string[],
  turns: Turns,
): Promise<number | undefined> {
  const offsets = new Map<string, number[]>();
  for (const [offset, line] of key.slice(0, maxComparedLines).entries()) {
    if (line !== '') offsets.set(line, [...(offsets.get(line) ?? []), offset]);
  }
  const votes = new Uint8Array(lines.length);
  let best: number | undefined;
  for (const [number, line] of lines.entries()) {
    if (number % 256 === 0 && turns.isOver) await turns.pause();
    for (const offset of offsets.get(line.trim()) ?? []) {
      const start = Math.max(0, number - offset);
      const count = Math.min((votes[start] ?? 0) + 1, maxComparedLines);
      votes[start] = count;
      if (best === undefined || count > (votes[best] ?? 0)) best = start;
    }
  }
  return best;
}

const maxComparedLines = 100;

/** Returns the line that shares most pairs of characters with the longest wanted line. */
async function mostSimilarLine(
  lines: readonly string[],
  key: readonly string[],
  turns: Turns,
): Promise<number | undefined> {
  const longest = key
    .reduce((left, right) => (right.length > left.length ? right : left), '')
    .slice(0, maxQuotedLength);
  const wanted = pairsOf(longest);
  let best: number | undefined;
  let bestScore = minScore;
  for (const [number, line] of lines.slice(0, maxSearchedLines).entries()) {
    if (number % 64 === 0 && turns.isOver) await turns.pause();
    const candidate = line.trim().slice(0, maxQuotedLength);
    // Lines of very different length cannot score high enough.
    if (candidate.length > 3 * longest.length || longest.length > 3 * candidate.length) continue;
    const score = similarity(wanted, pairsOf(candidate));
    if (score <= bestScore) continue;
    best = number;
    bestScore = score;
  }
  return best === undefined
    ? undefined
    : Math.max(0, best - key.findIndex((line) => line.startsWith(longest)));
}

const minScore = 0.4;
const maxSearchedLines = 20_000;

function pairsOf(text: string): ReadonlySet<string> {
  return new Set(
    Array.from({ length: Math.max(0, text.length - 1) }, (_, index) =>
      text.slice(index, index + 2),
    ),
  );
}

function similarity(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  let shared = 0;
  for (const pair of left) if (right.has(pair)) shared++;
  return left.size + right.size === 0 ? 0 : (2 * shared) / (left.size + right.size);
}
