import { diffLines, splitLines } from './edit-diff.ts';
import type { LineEnding } from './text-encoding.ts';
import type { Turns } from './turns.ts';

/**
 * Replaces every line end with `\n` for comparisons. A single carriage return is a line end only if
 * `eol` is `cr`.
 */
export function withLineFeeds(text: string, eol: LineEnding): string {
  const paired = text.replaceAll('\r\n', '\n');
  return eol === 'cr' ? paired.replaceAll('\r', '\n') : paired;
}

/**
 * Restores the line endings of the original in an edited text. With mixed endings, a kept or
 * changed line gets the ending of its original line, and a new line that of the line before.
 * @throws what `turns` throws
 */
export async function restoreLineEndings(
  edited: string,
  { text, eol }: { readonly text: string; readonly eol: LineEnding },
  turns: Turns,
): Promise<string> {
  switch (eol) {
    case 'lf':
    case 'none':
      return edited;
    case 'crlf':
      return edited.replaceAll('\n', '\r\n');
    case 'cr':
      return edited.replaceAll('\n', '\r');
    case 'mixed':
      return restoreEach(edited, text, turns);
  }
}

async function restoreEach(edited: string, original: string, turns: Turns): Promise<string> {
  const oldLines = splitLines(original);
  const newLines = splitLines(edited);
  const endings: string[] = [];
  let removed: readonly string[] = [];
  let last = endingOf(oldLines[0]);
  const plain = oldLines.map((line) => (line.endsWith('\r\n') ? `${line.slice(0, -2)}\n` : line));
  for (const change of await diffLines(plain, newLines, turns)) {
    const range = oldLines.slice(change.oldStart, change.oldStart + change.count);
    if (change.kind === 'removed') removed = range;
    if (change.kind === 'removed') continue;
    const sources = change.kind === 'same' ? range : removed;
    for (let index = 0; index < change.count; index++)
      endings.push((last = sources[index] === undefined ? last : endingOf(sources[index])));
    removed = [];
  }
  return newLines
    .map((line, index) =>
      line.endsWith('\n') ? line.slice(0, -1) + (endings[index] ?? '\n') : line,
    )
    .join('');
}

function endingOf(line: string | undefined): string {
  return line?.endsWith('\r\n') ? '\r\n' : '\n';
}
