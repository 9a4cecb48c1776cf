import { PathError } from '@signalbox/file-sandbox';
import { reindent } from './edit-indentation.ts';
import type { EditedText, EditStep } from './text-edit.ts';
import { nearestLines } from './edit-nearest-lines.ts';
import { findSequence, numbersOf } from './find-sequence.ts';
import { LineIds } from './line-ids.ts';
import type { Turns } from './turns.ts';

const maxQuotedPositions = 10;

/**
 * Replaces whole lines that match except for surrounding white space, and indents the new lines
 * like the file.
 * @throws PathError `refused` when that is not possible in exactly one way
 */
export async function applyLoosely(
  text: string,
  { edit, label, original, turns }: EditStep,
): Promise<EditedText> {
  const lines = text.split('\n');
  const endsInFeed = edit.oldText.endsWith('\n');
  const wanted = (endsInFeed ? edit.oldText.slice(0, -1) : edit.oldText).split('\n');
  const refusal = async (problem: string) =>
    new PathError('refused', `${label}${problem} ${await nearestLines(original, wanted, turns)}`);
  const found = wanted.every((line) => line.trim() === '')
    ? []
    : await windowsOf(lines, wanted, turns);
  const [start] = found;
  if (start === undefined)
    throw await refusal(`: oldText was not found; nothing was changed.${lineNumberHint(wanted)}`);
  const quoted = found.slice(0, maxQuotedPositions).map((line) => line + 1);
  if (found.length > 1) {
    throw new PathError(
      'refused',
      `${label}: oldText was not found exactly, and ignoring indentation it occurs ${found.length} times (lines ${quoted.join(', ')}); nothing was changed. Copy it exactly.`,
    );
  }
  const replaced = lines.slice(start, start + wanted.length);
  if (endsInFeed && start + wanted.length === lines.length) {
    throw await refusal(
      ': oldText ends in a line end, which the last line of the file does not have; nothing was changed.',
    );
  }
  const fresh =
    edit.newText === ''
      ? []
      : (endsInFeed && edit.newText.endsWith('\n')
          ? edit.newText.slice(0, -1)
          : edit.newText
        ).split('\n');
  const indented = reindent({ fileLines: lines, replaced, wanted, fresh });
  if (indented === undefined) {
    throw await refusal(
      `: oldText was found only with other indentation (line ${start + 1}), and how to indent newText there is not clear; nothing was changed.`,
    );
  }
  // Like an exact match, a removal without the line end leaves an empty line.
  const kept = indented.length === 0 && !endsInFeed ? [''] : indented;
  const rest = lines.slice(start + wanted.length);
  const joined =
    endsInFeed && edit.newText !== '' && !edit.newText.endsWith('\n')
      ? [...kept.slice(0, -1), `${kept.at(-1) ?? ''}${rest[0] ?? ''}`, ...rest.slice(1)]
      : [...kept, ...rest];
  const next = [...lines.slice(0, start), ...joined].join('\n');
  if (next === text)
    throw await refusal(
      ' changes nothing but white space that the file has otherwise; nothing was changed.',
    );
  return { text: next, replacements: 1 };
}

/**
 * Returns the indexes at which the wanted lines occur, compared without surrounding white space.
 */
async function windowsOf(
  lines: readonly string[],
  wanted: readonly string[],
  turns: Turns,
): Promise<readonly number[]> {
  const ids = new LineIds();
  const trimmed = (each: readonly string[]) =>
    ids.of(
      each.map((line) => line.trim()),
      turns,
    );
  const [searched, key] = [await trimmed(lines), await trimmed(wanted)];
  const found: number[] = [];
  await findSequence(numbersOf(searched), numbersOf(key), {
    visit: (position) => found.push(position),
    turns,
  });
  return found;
}

function lineNumberHint(wanted: readonly string[]): string {
  return wanted.every((line) => /^\s*\d+(?:\t|\s*[|:\u2192])/.test(line))
    ? ' Leave out the line numbers.'
    : '';
}
