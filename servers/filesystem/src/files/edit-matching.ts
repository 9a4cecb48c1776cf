import { PathError } from '@signalbox/file-sandbox';
import { applyLoosely } from './edit-loosely.ts';
import { findText, maxReplacements } from './find-text.ts';
import type { EditedText, EditStep, TextEdit } from './text-edit.ts';
import type { Turns } from './turns.ts';

/** Largest length of an edited text, in characters. */
export const maxEditedLength = 16 * 1024 * 1024;

/**
 * Applies all edits to a text with `\n` line ends, one after the other, or none. Each takes time
 * linear in the text.
 * @throws PathError `refused` that says which edit cannot be applied, why, and which lines of the file are like it; what `turns` throws
 */
export async function applyEdits(
  text: string,
  edits: readonly TextEdit[],
  turns: Turns,
): Promise<EditedText> {
  if (edits.length === 0) throw new PathError('refused', 'edits is empty; nothing was changed.');
  let edited: EditedText = { text, replacements: 0 };
  for (const [index, edit] of edits.entries()) {
    if (turns.isOver) await turns.pause();
    const label = edits.length === 1 ? 'The edit' : `Edit ${index + 1} of ${edits.length}`;
    const next = await applyEdit(edited.text, {
      edit,
      label,
      isFirst: index === 0,
      original: text,
      turns,
    });
    edited = { text: next.text, replacements: edited.replacements + next.replacements };
  }
  if (edited.text === text)
    throw new PathError('refused', 'The edits undo each other; nothing was changed.');
  return edited;
}

async function applyEdit(text: string, step: EditStep): Promise<EditedText> {
  const { edit, label, isFirst, turns } = step;
  const { oldText, newText, replaceAll = false } = edit;
  if (oldText === '')
    throw new PathError(
      'refused',
      `${label} has an empty oldText; nothing was changed. To insert, repeat a neighbouring line in oldText and newText.`,
    );
  if (oldText === newText)
    throw new PathError(
      'refused',
      `${label} has the same oldText and newText; nothing was changed.`,
    );
  const { count, first, disjoint } = await findText(text, oldText, turns);
  const [only] = first;
  if (only === undefined) return applyLoosely(text, step);
  if (count === 1)
    return {
      text: text.slice(0, only) + newText + text.slice(only + oldText.length),
      replacements: 1,
    };
  if (replaceAll) return { text: replaceAt(text, disjoint, step), replacements: disjoint.length };
  const lines = first.map((position) => lineNumberAt(text, position));
  const more = count > lines.length ? ', …' : '';
  const which = isFirst ? '' : ' after the edits before it';
  throw new PathError(
    'refused',
    `${label}: oldText occurs ${count} times (lines ${lines.join(', ')}${more}${which}); nothing was changed. Add lines around it to make it unique, or set replaceAll.`,
  );
}

function replaceAt(
  text: string,
  positions: readonly number[],
  { edit: { oldText, newText }, label }: EditStep,
): string {
  if (positions.length > maxReplacements)
    throw new PathError(
      'refused',
      `${label}: oldText occurs more than ${maxReplacements} times; nothing was changed.`,
    );
  const length = text.length + positions.length * (newText.length - oldText.length);
  if (length > maxEditedLength)
    throw new PathError(
      'refused',
      `${label} would make a text of ${length} characters, at most ${maxEditedLength} are written; nothing was changed.`,
    );
  const pieces: string[] = [];
  let from = 0;
  for (const position of positions) {
    pieces.push(text.slice(from, position), newText);
    from = position + oldText.length;
  }
  return [...pieces, text.slice(from)].join('');
}

function lineNumberAt(text: string, position: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < position; at = text.indexOf('\n', at + 1))
    line++;
  return line;
}
