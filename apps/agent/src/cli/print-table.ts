import { terminalLine } from '../text/terminal-text.ts';

/** Returns rows as text with aligned columns and without terminal control sequences. */
export function table(rows: readonly (readonly string[])[]): string {
  const clean = rows.map((row) => row.map(terminalLine));
  const widths = (clean[0] ?? []).map((_, column) =>
    Math.max(...clean.map((row) => row[column]?.length ?? 0)),
  );
  return clean
    .map(
      (row) =>
        `${row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))).join('  ')}\n`,
    )
    .join('');
}

const UNITS: readonly (readonly [name: string, seconds: number])[] = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
];

/** Returns the age of a time in its largest unit, such as `5 min`, and an empty string for an invalid time. */
export function age(time: string, now = Date.now()): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(time)) / 1000));
  if (Number.isNaN(seconds)) return '';
  const [unit, size] = UNITS.find(([, each]) => seconds >= each) ?? ['s', 1];
  return `${Math.floor(seconds / size)} ${unit}`;
}
