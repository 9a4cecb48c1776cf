import { overlapLength, type ContentPattern, type TextEnds } from './content-pattern.ts';

export interface LineMatch {
  /** Line number, from 1. */
  readonly line: number;
  readonly column: number;
  /** The line, or the text around the match in a long line. */
  readonly text: string;
  readonly before?: string[];
  readonly after?: string[];
}

/** Maximum number of characters of a line in a result. */
export const maxLineLength = 400;
/**
 * Length of the overlapping parts in which a longer line is searched, so that no search blocks the
 * process.
 */
const partLength = 64 * 1024;

/** Searches the lines of one text that arrives in parts. */
export class LineSearch {
  readonly matches: LineMatch[] = [];
  readonly #pattern: ContentPattern;
  readonly #context: number;
  readonly #maxMatches: number;
  #rest = '';
  #line = 0;
  /** Code units of the current line that were already searched. */
  #done = 0;
  #isMatchedLine = false;
  readonly #before: string[] = [];
  /** Matches that wait for the lines after them. */
  #open: LineMatch[] = [];

  constructor(
    pattern: ContentPattern,
    { context, maxMatches }: { readonly context: number; readonly maxMatches: number },
  ) {
    this.#pattern = pattern;
    this.#context = context;
    this.#maxMatches = maxMatches;
  }

  /** Whether more text cannot change the result. */
  get isComplete(): boolean {
    return this.matches.length >= this.#maxMatches && this.#open.length === 0;
  }

  /** Whether there may be matches beyond the limit. */
  get isFull(): boolean {
    return this.matches.length >= this.#maxMatches;
  }

  /** Searches the complete lines of a part and keeps the rest for the next part. */
  take(part: string): void {
    const text = this.#rest + part;
    let start = 0;
    for (
      let feed = text.indexOf('\n');
      feed !== -1 && !this.isComplete;
      feed = text.indexOf('\n', start)
    ) {
      this.#endLine(text.slice(start, feed));
      start = feed + 1;
    }
    this.#rest = this.#shortened(text.slice(start));
  }

  finish(): void {
    if (this.#rest !== '' && !this.isComplete) this.#endLine(this.#rest);
    this.#rest = '';
  }

  /** Searches the rest of a line, up to its end. */
  #endLine(text: string): void {
    const end = this.#shortened(text.endsWith('\r') ? text.slice(0, -1) : text);
    this.#part(end, true);
    this.#done = 0;
  }

  /** Searches the parts of a long line whose end is still unknown, and returns the rest. */
  #shortened(text: string): string {
    let start = 0;
    for (
      ;
      text.length - start > partLength && !this.isComplete;
      start += partLength - overlapLength
    ) {
      this.#part(text.slice(start, start + partLength), false);
      this.#done += partLength - overlapLength;
    }
    return text.slice(start);
  }

  #part(text: string, isLineEnd: boolean): void {
    const isLineStart = this.#done === 0;
    if (isLineStart) {
      this.#line++;
      this.#isMatchedLine = false;
      this.#follow(text);
    }
    if (!this.#isMatchedLine && !this.isFull) this.#search(text, { isLineStart, isLineEnd });
    if (isLineStart && this.#context > 0) {
      this.#before.push(text.slice(0, maxLineLength));
      if (this.#before.length > this.#context) this.#before.shift();
    }
  }

  #search(text: string, ends: TextEnds): void {
    const found = this.#pattern.find(text, ends);
    if (found === undefined) return;
    this.#isMatchedLine = true;
    const lines = this.#context === 0 ? {} : { before: [...this.#before], after: [] };
    const match: LineMatch = {
      line: this.#line,
      column: this.#done + found.start + 1,
      text: around(text, found),
      ...lines,
    };
    this.matches.push(match);
    if (this.#context > 0) this.#open.push(match);
  }

  #follow(line: string): void {
    if (this.#open.length === 0) return;
    for (const match of this.#open) match.after?.push(line.slice(0, maxLineLength));
    this.#open = this.#open.filter(({ after = [] }) => after.length < this.#context);
  }
}

function around(
  line: string,
  { start, length }: { readonly start: number; readonly length: number },
): string {
  if (line.length <= maxLineLength) return line;
  const from = Math.max(
    0,
    Math.min(
      start - Math.floor((maxLineLength - Math.min(length, maxLineLength)) / 2),
      line.length - maxLineLength,
    ),
  );
  return line.slice(from, from + maxLineLength).toWellFormed();
}
