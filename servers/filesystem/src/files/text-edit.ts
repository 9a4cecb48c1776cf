import type { Turns } from './turns.ts';

/** An edit of a text, as a caller gives it. */
export interface TextEdit {
  readonly oldText: string;
  readonly newText: string;
  /** Replaces every occurrence; default: there must be exactly one. */
  readonly replaceAll?: boolean;
}

/** A text with the edits applied so far. */
export interface EditedText {
  readonly text: string;
  /** Replaced occurrences, counted over all edits. */
  readonly replacements: number;
}

/** An edit of a call, with the texts for its errors. */
export interface EditStep {
  readonly edit: TextEdit;
  /** The name of the edit in errors. */
  readonly label: string;
  readonly isFirst: boolean;
  /** The text of the file, before all edits; errors quote it. */
  readonly original: string;
  readonly turns: Turns;
}
