/** A line of two compared texts. `number` is its number in the text that has it, the second one for a line in both. */
export interface ComparedLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
  readonly number: number;
}

/** Products of line counts up to which the shortest difference is searched; larger texts are compared as a whole. */
const MAX_CELLS = 4_000_000;

/** Compares two texts by line. Lines that both begin or end with are matched first. */
export function diffLines(before: string, after: string): readonly ComparedLine[] {
  const old = before.split('\n');
  const now = after.split('\n');
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (
    end < old.length - start &&
    end < now.length - start &&
    old[old.length - 1 - end] === now[now.length - 1 - end]
  )
    end += 1;
  return [
    ...same(now.slice(0, start), 0),
    ...compare(old.slice(start, old.length - end), now.slice(start, now.length - end), start),
    ...same(now.slice(now.length - end), now.length - end),
  ];
}

function same(lines: readonly string[], offset: number): readonly ComparedLine[] {
  return lines.map((text, index) => ({ kind: 'same', text, number: offset + index + 1 }));
}

function compare(
  old: readonly string[],
  now: readonly string[],
  offset: number,
): readonly ComparedLine[] {
  const lengths = old.length * now.length > MAX_CELLS ? undefined : commonLengths(old, now);
  const lengthAt = (left: number, right: number): number =>
    lengths?.[left * (now.length + 1) + right] ?? 0;
  const lines: ComparedLine[] = [];
  let left = 0;
  let right = 0;
  while (left < old.length || right < now.length) {
    const removed = old[left];
    const added = now[right];
    if (lengths !== undefined && removed !== undefined && removed === added) {
      lines.push({ kind: 'same', text: removed, number: offset + right + 1 });
      left += 1;
      right += 1;
    } else if (
      removed !== undefined &&
      (added === undefined || lengthAt(left + 1, right) >= lengthAt(left, right + 1))
    ) {
      lines.push({ kind: 'removed', text: removed, number: offset + left + 1 });
      left += 1;
    } else if (added !== undefined) {
      lines.push({ kind: 'added', text: added, number: offset + right + 1 });
      right += 1;
    }
  }
  return lines;
}

/** Returns, for each pair of positions, the length of the longest common subsequence behind them. */
function commonLengths(old: readonly string[], now: readonly string[]): Uint16Array {
  const width = now.length + 1;
  const lengths = new Uint16Array((old.length + 1) * width);
  for (let left = old.length - 1; left >= 0; left -= 1)
    for (let right = now.length - 1; right >= 0; right -= 1)
      lengths[left * width + right] =
        old[left] === now[right]
          ? (lengths[(left + 1) * width + right + 1] ?? 0) + 1
          : Math.max(
              lengths[(left + 1) * width + right] ?? 0,
              lengths[left * width + right + 1] ?? 0,
            );
  return lengths;
}
