import { LineIds } from './line-ids.ts';
import type { Turns } from './turns.ts';

/** A change of consecutive lines, numbered from 0. */
export interface LineChange {
  readonly kind: 'same' | 'removed' | 'added';
  readonly oldStart: number;
  readonly newStart: number;
  readonly count: number;
}

/** Splits a text into lines with their terminators; the last line may have none. */
export function splitLines(text: string): readonly string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}

/**
 * Returns the changes between two lists of lines: the fewest, if there are less than 2000 and 20
 * million steps find them, else one block.
 * @throws what `turns` throws
 */
export async function diffLines(
  before: readonly string[],
  after: readonly string[],
  turns: Turns,
): Promise<readonly LineChange[]> {
  const ids = new LineIds();
  const [left, right] = [await ids.of(before, turns), await ids.of(after, turns)];
  let start = 0;
  const shorter = Math.min(left.length, right.length);
  while (start < shorter && left[start] === right[start]) start++;
  let end = 0;
  while (end < shorter - start && left[left.length - 1 - end] === right[right.length - 1 - end])
    end++;
  const [old, fresh] = [
    left.subarray(start, left.length - end),
    right.subarray(start, right.length - end),
  ];
  const changes = new ChangeList();
  changes.add('same', start);
  const steps = await shortestSteps(old, fresh, turns);
  if (steps === undefined) {
    changes.add('removed', old.length);
    changes.add('added', fresh.length);
  } else {
    for (const step of steps) changes.add(step, 1);
  }
  changes.add('same', end);
  return changes.changes;
}

/**
 * Returns a unified diff with four lines of context, `''` when nothing changed. Cut after 8 MiB.
 */
export async function unifiedDiff(
  path: string,
  {
    before,
    after,
    turns,
  }: {
    readonly before: readonly string[];
    readonly after: readonly string[];
    readonly turns: Turns;
  },
): Promise<string> {
  const hunks = hunksOf(await diffLines(before, after, turns));
  if (hunks.length === 0) return '';
  let diff = `Index: ${path}\n${'='.repeat(67)}\n--- ${path}\toriginal\n+++ ${path}\tmodified\n`;
  for (const hunk of hunks) {
    if (diff.length > maxDiffLength) break;
    diff += printHunk(hunk, before, after);
    if (turns.isOver) await turns.pause();
  }
  return diff;
}

/** Longer than any result. */
const maxDiffLength = 8 * 1024 * 1024;
const maxChanges = 2000;
const maxSteps = 20_000_000;

class ChangeList {
  readonly changes: LineChange[] = [];
  #old = 0;
  #new = 0;

  add(kind: LineChange['kind'], count: number): void {
    if (count === 0) return;
    const last = this.changes.at(-1);
    if (last?.kind === kind)
      this.changes[this.changes.length - 1] = { ...last, count: last.count + count };
    else this.changes.push({ kind, oldStart: this.#old, newStart: this.#new, count });
    if (kind !== 'added') this.#old += count;
    if (kind !== 'removed') this.#new += count;
  }
}

/**
 * Searches for the shortest edit script (Myers 1986). Returns `undefined` when it has more than
 * `maxChanges` changes or takes too many steps.
 */
async function shortestSteps(
  before: Int32Array,
  after: Int32Array,
  turns: Turns,
): Promise<readonly LineChange['kind'][] | undefined> {
  let steps = 0;
  const most = Math.min(maxChanges, before.length + after.length);
  const furthest = new Furthest(most);
  const history: Furthest[] = [];
  for (let changes = 0; changes <= most; changes++) {
    if (steps > maxSteps) return undefined;
    if (turns.isOver) await turns.pause();
    history.push(furthest.around(changes));
    for (let diagonal = -changes; diagonal <= changes; diagonal += 2) {
      const from = furthest.stepTo(diagonal, changes).old;
      let old = from;
      while (
        old < before.length &&
        old - diagonal < after.length &&
        before[old] === after[old - diagonal]
      )
        old++;
      steps += old - from + 1;
      furthest.set(diagonal, old);
      if (old >= before.length && old - diagonal >= after.length)
        return trace(history, before.length, after.length);
    }
  }
  return undefined;
}

/** The number of old lines consumed on each diagonal (old minus new lines). */
class Furthest {
  readonly #lines: Int32Array;
  readonly #center: number;

  constructor(changes: number, lines: Int32Array = new Int32Array(2 * changes + 3)) {
    this.#lines = lines;
    this.#center = changes + 1;
  }

  set(diagonal: number, old: number): void {
    this.#lines[this.#center + diagonal] = old;
  }

  /** Returns a copy of the diagonals from which one more change can start. */
  around(changes: number): Furthest {
    return new Furthest(
      changes,
      this.#lines.slice(this.#center - changes - 1, this.#center + changes + 2),
    );
  }

  /**
   * Returns the better step to a diagonal: add a line, from the diagonal above, or remove one, from
   * the diagonal below.
   */
  stepTo(diagonal: number, changes: number): { readonly isAdded: boolean; readonly old: number } {
    const isAdded =
      diagonal === -changes ||
      (diagonal !== changes && this.#at(diagonal - 1) < this.#at(diagonal + 1));
    return { isAdded, old: isAdded ? this.#at(diagonal + 1) : this.#at(diagonal - 1) + 1 };
  }

  #at(diagonal: number): number {
    return this.#lines[this.#center + diagonal] ?? 0;
  }
}

function trace(
  history: readonly Furthest[],
  oldEnd: number,
  newEnd: number,
): readonly LineChange['kind'][] {
  const steps: LineChange['kind'][] = [];
  let [old, added] = [oldEnd, newEnd];
  for (const [changes, furthest] of [...history.entries()].toReversed()) {
    const diagonal = old - added;
    const step = furthest.stepTo(diagonal, changes);
    const startOld = changes === 0 ? 0 : step.old;
    while (old > startOld) {
      steps.push('same');
      old--;
      added--;
    }
    if (changes === 0) break;
    steps.push(step.isAdded ? 'added' : 'removed');
    if (step.isAdded) added--;
    else old--;
  }
  return steps.toReversed();
}

interface Hunk {
  readonly changes: LineChange[];
}

const contextLines = 4;

function hunksOf(changes: readonly LineChange[]): readonly Hunk[] {
  const hunks: Hunk[] = [];
  for (const [index, change] of changes.entries()) {
    const isFirst = index === 0;
    const isLast = index === changes.length - 1;
    if (change.kind !== 'same') {
      if (hunks.length === 0) hunks.push({ changes: [] });
      hunks.at(-1)?.changes.push(change);
    } else if (isFirst || isLast || change.count > 2 * contextLines) {
      if (!isFirst) hunks.at(-1)?.changes.push(head(change));
      if (!isLast) hunks.push({ changes: [tail(change)] });
    } else {
      hunks.at(-1)?.changes.push(change);
    }
  }
  return hunks.filter((hunk) => hunk.changes.some((change) => change.kind !== 'same'));
}

function head(change: LineChange): LineChange {
  return { ...change, count: Math.min(change.count, contextLines) };
}

function tail(change: LineChange): LineChange {
  const skipped = Math.max(0, change.count - contextLines);
  return {
    ...change,
    oldStart: change.oldStart + skipped,
    newStart: change.newStart + skipped,
    count: change.count - skipped,
  };
}

function printHunk({ changes }: Hunk, before: readonly string[], after: readonly string[]): string {
  const count = (left: LineChange['kind']) =>
    changes.reduce((sum, change) => sum + (change.kind === left ? 0 : change.count), 0);
  const [oldCount, newCount] = [count('added'), count('removed')];
  const [first] = changes;
  const start = (line: number, lines: number) => (lines === 0 ? line : line + 1);
  const lines = changes.flatMap((change) => {
    const source = change.kind === 'added' ? after : before;
    const from = change.kind === 'added' ? change.newStart : change.oldStart;
    return source
      .slice(from, from + change.count)
      .map(
        (line) =>
          signs[change.kind] +
          (line.endsWith('\n') ? line : `${line}\n\\ No newline at end of file\n`),
      );
  });
  return `@@ -${start(first?.oldStart ?? 0, oldCount)},${oldCount} +${start(first?.newStart ?? 0, newCount)},${newCount} @@\n${lines.join('')}`;
}

const signs = { same: ' ', removed: '-', added: '+' } as const;
