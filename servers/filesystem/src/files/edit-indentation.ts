export interface Reindentation {
  /** All lines of the file. */
  readonly fileLines: readonly string[];
  /**
   * The replaced lines of the file; each equals the line of `wanted` at the same index except for
   * white space.
   */
  readonly replaced: readonly string[];
  /** The lines to replace, as the caller indented them. */
  readonly wanted: readonly string[];
  /** The new lines as the caller indented them. */
  readonly fresh: readonly string[];
}

/**
 * Returns the new lines in the indentation of the file, `undefined` when it cannot be derived.
 * Translates an indentation that a replaced line has in both forms; shifts any other by whole
 * units, when both units are known.
 */
export function reindent(given: Reindentation): readonly string[] | undefined {
  const known = knownIndentations(given.wanted, given.replaced);
  if (known === undefined) return undefined;
  const units = unitsOf(given, known);
  const lines: string[] = [];
  for (const line of given.fresh) {
    const text = line.trimStart();
    const indentation =
      text === '' ? '' : translate(line.slice(0, line.length - text.length), known, units);
    if (indentation === undefined) return undefined;
    lines.push(indentation + text);
  }
  return lines;
}

/** Maps the caller's indentation to the file's. */
type Known = ReadonlyMap<string, string>;

interface Units {
  readonly caller: string;
  readonly file: string;
}

/**
 * Returns the known pairs of indentations, `undefined` when the caller's indentation is ambiguous.
 */
function knownIndentations(
  wanted: readonly string[],
  replaced: readonly string[],
): Known | undefined {
  const known = new Map<string, string>();
  for (const [index, line] of wanted.entries()) {
    if (line.trim() === '') continue;
    const caller = indentationOf(line);
    const file = indentationOf(replaced[index] ?? '');
    if (known.has(caller) && known.get(caller) !== file) return undefined;
    known.set(caller, file);
  }
  return known;
}

function translate(caller: string, known: Known, units: Units | undefined): string | undefined {
  const exact = known.get(caller);
  if (exact !== undefined || units === undefined) return exact;
  const results = new Set<string | undefined>();
  for (const [from, to] of known)
    results.add(shift(to, levelsBetween(from, caller, units.caller), units.file));
  // Every known line must lead to the same answer.
  return results.size === 1 ? [...results][0] : undefined;
}

function levelsBetween(from: string, to: string, unit: string): number | undefined {
  const [short, long] = from.length <= to.length ? [from, to] : [to, from];
  if (!long.startsWith(short)) return undefined;
  const levels = (long.length - short.length) / unit.length;
  if (!Number.isInteger(levels) || long.slice(short.length) !== unit.repeat(levels))
    return undefined;
  return from.length <= to.length ? levels : -levels;
}

function shift(indentation: string, levels: number | undefined, unit: string): string | undefined {
  if (levels === undefined) return undefined;
  if (levels >= 0) return indentation + unit.repeat(levels);
  const removed = unit.repeat(-levels);
  return indentation.endsWith(removed)
    ? indentation.slice(0, indentation.length - removed.length)
    : undefined;
}

function unitsOf({ fileLines, wanted, fresh }: Reindentation, known: Known): Units | undefined {
  const file = fileUnit(fileLines);
  if (file === undefined) return undefined;
  const indentations = [...wanted, ...fresh]
    .filter((line) => line.trim() !== '')
    .map(indentationOf);
  if (indentations.every((indentation) => isRepeated(indentation, file)))
    return { caller: file, file };
  const caller = callerUnit(indentations, known, file);
  return caller === undefined ? undefined : { caller, file };
}

/**
 * Returns the caller's indentation unit: a tab, or the number of spaces measured on known lines,
 * else two or four.
 */
function callerUnit(
  indentations: readonly string[],
  known: Known,
  file: string,
): string | undefined {
  if (indentations.every((indentation) => isRepeated(indentation, '\t'))) return '\t';
  if (!indentations.every((indentation) => isRepeated(indentation, ' '))) return undefined;
  const measured = measuredUnit(known, file);
  if (measured !== undefined) return ' '.repeat(measured);
  const widths = [...new Set(indentations.map((indentation) => indentation.length))].toSorted(
    (left, right) => left - right,
  );
  const step = widths
    .slice(1)
    .reduce((sofar, width, index) => greatestDivisor(sofar, width - (widths[index] ?? 0)), 0);
  return step === 2 || step === 4 ? ' '.repeat(step) : undefined;
}

/** Returns the caller's spaces per unit of the file, measured on known indentations. */
function measuredUnit(known: Known, file: string): number | undefined {
  const pairs = [...known]
    .filter(([, to]) => isRepeated(to, file))
    .map(([from, to]) => ({ width: from.length, levels: to.length / file.length }));
  for (const left of pairs) {
    for (const right of [...pairs, { width: 0, levels: 0 }]) {
      const step = (left.width - right.width) / (left.levels - right.levels);
      if (left.levels !== right.levels && Number.isInteger(step) && step > 1) return step;
    }
  }
  return undefined;
}

/**
 * Returns the file's indentation unit: a tab, or the most frequent increase between two lines;
 * `undefined` when both or neither occur.
 */
function fileUnit(lines: readonly string[]): string | undefined {
  const growths = new Map<number, number>();
  let tabs = 0;
  let spaces = 0;
  let before = 0;
  for (const line of lines) {
    if (line.trim() === '') continue;
    const indentation = indentationOf(line);
    if (indentation.startsWith('\t')) tabs++;
    else if (indentation.startsWith('  ')) spaces++;
    const growth = indentation.length - before;
    if (growth > 1 && growth <= 8 && indentation.startsWith('  '))
      growths.set(growth, (growths.get(growth) ?? 0) + 1);
    before = indentation.length;
  }
  if (tabs > 0) return spaces === 0 ? '\t' : undefined;
  const [most] = [...growths].toSorted((left, right) => right[1] - left[1] || left[0] - right[0]);
  return most === undefined ? undefined : ' '.repeat(most[0]);
}

function isRepeated(text: string, unit: string): boolean {
  return text.length % unit.length === 0 && text === unit.repeat(text.length / unit.length);
}

function indentationOf(line: string): string {
  return line.slice(0, line.length - line.trimStart().length);
}

function greatestDivisor(left: number, right: number): number {
  return right === 0 ? left : greatestDivisor(right, left % right);
}
