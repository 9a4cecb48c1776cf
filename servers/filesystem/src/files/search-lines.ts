import type { ContentPattern } from './content-pattern.ts';

export interface LineMatch {
  /** Both from 1; the column in UTF-16 code units. */
  readonly line: number;
  readonly column: number;
  /** The line, or what is around the match of a long one. */
  readonly text: string;
  readonly before?: string[];
  readonly after?: string[];
}

/** Characters of a line that are returned. */
export const maxLineLength = 400;
/** Longer lines are searched in pieces, so that none holds up the process; a match across two pieces is not found. */
const pieceLength = 64 * 1024;

/** Looks for a pattern in the lines of one text, which comes in parts. */
export class LineSearch {
  readonly matches: LineMatch[] = [];
  readonly #pattern: ContentPattern;
  readonly #context: number;
  readonly #maxMatches: number;
  #rest = '';
  #line = 0;
  #isInsideLine = false;
  #isMatchedLine = false;
  readonly #before: string[] = [];
  /** Matches that still wait for lines after them. */
  #open: LineMatch[] = [];

  constructor(pattern: ContentPattern, { context, maxMatches }: { readonly context: number; readonly maxMatches: number }) {
    this.#pattern = pattern;
    this.#context = context;
    this.#maxMatches = maxMatches;
  }

  /** Whether more text changes nothing. */
  get isComplete(): boolean {
    return this.matches.length >= this.#maxMatches && this.#open.length === 0;
  }

  /** Whether there may be matches beyond the limit. */
  get isFull(): boolean {
    return this.matches.length >= this.#maxMatches;
  }

  /** Complete lines are searched; what is left waits for the next part. */
  take(part: string): void {
    const text = this.#rest + part;
    let start = 0;
    for (let feed = text.indexOf('\n'); feed !== -1 && !this.isComplete; feed = text.indexOf('\n', start)) {
      this.#piece(text.slice(start, feed), true);
      start = feed + 1;
    }
    while (text.length - start > pieceLength && !this.isComplete) {
      this.#piece(text.slice(start, start + pieceLength), false);
      start += pieceLength;
    }
    this.#rest = text.slice(start);
  }

  finish(): void {
    if (this.#rest !== '' && !this.isComplete) this.#piece(this.#rest, true);
    this.#rest = '';
  }

  #piece(text: string, isEndOfLine: boolean): void {
    if (!this.#isInsideLine) {
      this.#line++;
      this.#isMatchedLine = false;
    }
    const line = text.endsWith('\r') && isEndOfLine ? text.slice(0, -1) : text;
    const isFirst = !this.#isInsideLine;
    this.#isInsideLine = !isEndOfLine;
    if (isFirst) this.#follow(line);
    if (!this.#isMatchedLine && !this.isFull) this.#search(line);
    if (isFirst && this.#context > 0) {
      this.#before.push(line.slice(0, maxLineLength));
      if (this.#before.length > this.#context) this.#before.shift();
    }
  }

  #search(line: string): void {
    const found = this.#pattern.find(line);
    if (found === undefined) return;
    this.#isMatchedLine = true;
    const match: LineMatch = { line: this.#line, column: found.start + 1, text: around(line, found), ...(this.#context === 0 ? {} : { before: [...this.#before], after: [] }) };
    this.matches.push(match);
    if (this.#context > 0) this.#open.push(match);
  }

  #follow(line: string): void {
    if (this.#open.length === 0) return;
    for (const match of this.#open) match.after?.push(line.slice(0, maxLineLength));
    this.#open = this.#open.filter(({ after = [] }) => after.length < this.#context);
  }
}

function around(line: string, { start, length }: { readonly start: number; readonly length: number }): string {
  if (line.length <= maxLineLength) return line;
  const from = Math.max(0, Math.min(start - Math.floor((maxLineLength - Math.min(length, maxLineLength)) / 2), line.length - maxLineLength));
  return line.slice(from, from + maxLineLength).toWellFormed();
}
