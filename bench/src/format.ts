/** Returns a dash for a value that is not finite. */
export function formatNumber(value: number, digits: number): string {
  return Number.isFinite(value)
    ? value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
    : '–';
}

/** Returns a Markdown table. The first line is the header; every column but the first is right-aligned. */
export function layOut(lines: readonly (readonly string[])[]): string {
  const [header = []] = lines;
  const widths = header.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0), 3),
  );
  const cell = (text: string, column: number): string =>
    column === 0 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0);
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  const rule = line(
    widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)),
  );
  return [line(header), rule, ...lines.slice(1).map(line)].join('\n');
}
