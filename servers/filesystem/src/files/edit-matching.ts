import { PathError } from '../sandbox/path-error.ts';
import { nearestLines } from './edit-nearest-lines.ts';
import { reindent } from './edit-indentation.ts';

export interface TextEdit {
  readonly oldText: string;
  readonly newText: string;
  /** Replaces every occurrence; default: there must be exactly one. */
  readonly replaceAll?: boolean;
}

export interface EditedText {
  readonly text: string;
  /** Occurrences replaced, over all edits. */
  readonly replacements: number;
}

/**
 * Applies edits one after the other to a text with `\n` line ends; all or none.
 * @throws PathError `refused` that says which edit cannot be applied, why, and what is there instead
 */
export function applyEdits(text: string, edits: readonly TextEdit[]): EditedText {
  if (edits.length === 0) throw new PathError('refused', 'edits is empty; nothing was changed.');
  let edited: EditedText = { text, replacements: 0 };
  for (const [index, edit] of edits.entries()) {
    const label = edits.length === 1 ? 'The edit' : `Edit ${index + 1} of ${edits.length}`;
    const next = applyEdit(edited.text, edit, label);
    edited = { text: next.text, replacements: edited.replacements + next.replacements };
  }
  if (edited.text === text) throw new PathError('refused', 'The edits undo each other; nothing was changed.');
  return edited;
}

function applyEdit(text: string, edit: TextEdit, label: string): EditedText {
  const { oldText, newText, replaceAll = false } = edit;
  if (oldText === '') throw new PathError('refused', `${label} has an empty oldText; nothing was changed. To insert, repeat a neighbouring line in oldText and newText.`);
  if (oldText === newText) throw new PathError('refused', `${label} has the same oldText and newText; nothing was changed.`);
  const { count, positions } = occurrencesOf(text, oldText);
  const [first] = positions;
  if (first === undefined) return applyLoosely(text, edit, label);
  if (count === 1) return { text: text.slice(0, first) + newText + text.slice(first + oldText.length), replacements: 1 };
  if (replaceAll) return { text: text.replaceAll(oldText, () => newText), replacements: text.split(oldText).length - 1 };
  const lines = positions.map((position) => lineNumberAt(text, position));
  const more = count > lines.length ? ', …' : '';
  throw new PathError(
    'refused',
    `${label}: oldText occurs ${count} times (lines ${lines.join(', ')}${more}); nothing was changed. Add lines around it to make it unique, or set replaceAll.`,
  );
}

const maxQuotedPositions = 10;

/** Where it occurs first; overlapping occurrences count, for they make it ambiguous as well. */
function occurrencesOf(text: string, wanted: string): { readonly count: number; readonly positions: readonly number[] } {
  const positions: number[] = [];
  let count = 0;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    if (count < maxQuotedPositions) positions.push(at);
    count++;
  }
  return { count, positions };
}

function lineNumberAt(text: string, position: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < position; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** Compares whole lines without the white space around them, and writes the new ones as the file indents. */
function applyLoosely(text: string, edit: TextEdit, label: string): EditedText {
  const lines = text.split('\n');
  const endsInFeed = edit.oldText.endsWith('\n');
  const wanted = (endsInFeed ? edit.oldText.slice(0, -1) : edit.oldText).split('\n');
  const found = wanted.every((line) => line.trim() === '') ? [] : windowsOf(lines, wanted);
  const [start] = found;
  if (start === undefined) {
    throw new PathError('refused', `${label}: oldText was not found; nothing was changed.${lineNumberHint(wanted)} ${nearestLines(lines, wanted)}`);
  }
  const quoted = found.slice(0, maxQuotedPositions).map((line) => line + 1);
  if (found.length > 1) {
    throw new PathError('refused', `${label}: oldText was not found exactly, and ignoring indentation it occurs ${found.length} times (lines ${quoted.join(', ')}); nothing was changed. Copy it exactly.`);
  }
  const replaced = lines.slice(start, start + wanted.length);
  if (endsInFeed && start + wanted.length === lines.length) {
    throw new PathError('refused', `${label}: oldText ends in a line end, which the last line of the file does not have; nothing was changed. ${nearestLines(lines, wanted)}`);
  }
  const fresh = edit.newText === '' ? [] : (endsInFeed && edit.newText.endsWith('\n') ? edit.newText.slice(0, -1) : edit.newText).split('\n');
  const indented = reindent({ fileLines: lines, replaced, wanted, fresh });
  if (indented === undefined) {
    throw new PathError('refused', `${label}: oldText was found only with other indentation (line ${start + 1}), and how to indent newText there is not clear; nothing was changed. ${nearestLines(lines, wanted)}`);
  }
  // Without its line end the text of a removed line leaves an empty one, as an exact match does.
  const kept = indented.length === 0 && !endsInFeed ? [''] : indented;
  const rest = lines.slice(start + wanted.length);
  const joined = endsInFeed && edit.newText !== '' && !edit.newText.endsWith('\n') ? [...kept.slice(0, -1), `${kept.at(-1) ?? ''}${rest[0] ?? ''}`, ...rest.slice(1)] : [...kept, ...rest];
  const next = [...lines.slice(0, start), ...joined].join('\n');
  if (next === text) throw new PathError('refused', `${label} changes nothing but white space that the file has otherwise; nothing was changed. ${nearestLines(lines, wanted)}`);
  return { text: next, replacements: 1 };
}

function windowsOf(lines: readonly string[], wanted: readonly string[]): readonly number[] {
  const trimmed = lines.map((line) => line.trim());
  const key = wanted.map((line) => line.trim());
  const found: number[] = [];
  for (let start = trimmed.indexOf(key[0] ?? ''); start !== -1; start = trimmed.indexOf(key[0] ?? '', start + 1)) {
    if (key.every((line, index) => trimmed[start + index] === line)) found.push(start);
  }
  return found;
}

function lineNumberHint(wanted: readonly string[]): string {
  return wanted.every((line) => /^\s*\d+(?:\t|\s*[|:→])/.test(line)) ? ' Leave out the line numbers.' : '';
}
