import { diffLines, splitLines } from './edit-diff.ts';
import type { LineEnding } from './text-encoding.ts';

/** Every line end as one `\n`, the form in which texts are compared. */
export function withLineFeeds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/**
 * Gives an edited text the line endings of its original, line by line when these are mixed: kept lines have what they had, changed ones that of
 * the line they stand for, new ones that of the line before.
 */
export function restoreLineEndings(edited: string, original: string, eol: LineEnding): string {
  if (eol === 'lf' || eol === 'none') return edited;
  if (eol === 'crlf') return edited.replaceAll('\n', '\r\n');
  const oldLines = splitLines(original);
  const newLines = splitLines(edited);
  const endings: string[] = [];
  let removed: readonly string[] = [];
  let last = endingOf(oldLines[0]);
  for (const change of diffLines(oldLines.map(withLineFeeds), newLines)) {
    const range = oldLines.slice(change.oldStart, change.oldStart + change.count);
    if (change.kind === 'removed') removed = range;
    if (change.kind === 'removed') continue;
    const sources = change.kind === 'same' ? range : removed;
    for (let index = 0; index < change.count; index++) endings.push((last = sources[index] === undefined ? last : endingOf(sources[index])));
    removed = [];
  }
  return newLines.map((line, index) => (line.endsWith('\n') ? line.slice(0, -1) + (endings[index] ?? '\n') : line)).join('');
}

function endingOf(line: string | undefined): string {
  return line?.endsWith('\r\n') ? '\r\n' : '\n';
}
