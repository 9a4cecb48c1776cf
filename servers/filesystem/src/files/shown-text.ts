import { jsonBytes } from './limits.ts';

/** A returned text and its lines in the file. */
export interface ShownText {
  readonly content: string;
  /** Number of the first line; absent for a tail, because counting would read the whole file. */
  readonly startLine?: number;
  /** Last line returned; `startLine - 1` when there is none. */
  readonly endLine?: number;
  /** Number of lines; present when the read counted lines up to the end of the file. */
  readonly totalLines?: number;
  /** Whether a size limit left out lines in the requested direction, or cut a line. */
  readonly truncated: boolean;
  /** Line at which the next read continues; absent at the end of the file. */
  readonly nextOffset?: number;
  /** Column at which the next read continues in a line that was cut. */
  readonly nextColumn?: number;
}

export interface FitTextOptions {
  /** Whether each line gets its number and a tab; only when `startLine` is known. */
  readonly lineNumbers: boolean;
  /** The end that stays when the text is cut. */
  readonly keep: 'start' | 'end';
  /** Maximum number of bytes of JSON for the result, which has the text twice. */
  readonly maxResultBytes: number;
  /** Column at which the text begins in its line, from 1; default 1. */
  readonly column?: number | undefined;
  /** Counts a text in the unit of columns. */
  readonly bytesOf: (text: string) => number;
  /** Bytes of the whole text as JSON, if known. */
  readonly jsonBytes?: number | undefined;
}

/** Bytes of a result apart from its text. */
const frameBytes = 4096;

/**
 * Cuts a text that is too long as JSON or with line numbers, by lines if possible, else by
 * characters.
 */
export function fitText(text: ShownText, options: FitTextOptions): ShownText {
  let fitting = text;
  if (!fits(text, options)) {
    const { jsonBytes: _jsonBytes, ...rest } = options;
    do fitting = options.keep === 'end' ? halveTail(fitting) : halve(fitting, options);
    while (!fits(fitting, rest));
  }
  return options.lineNumbers ? { ...fitting, content: numbered(fitting) } : fitting;
}

function fits(text: ShownText, { lineNumbers, maxResultBytes, ...known }: FitTextOptions): boolean {
  const limit = maxResultBytes - frameBytes;
  const { content } = text;
  // A character takes at most six bytes in JSON, as in \u0000.
  if (!lineNumbers && content.length * 12 <= limit) return true;
  if (lineNumbers) return 2 * jsonBytes(numbered(text)) <= limit;
  return 2 * (known.jsonBytes ?? jsonBytes(content)) <= limit;
}

function halve(text: ShownText, { column = 1, bytesOf }: FitTextOptions): ShownText {
  const half = text.content.slice(0, Math.floor(text.content.length / 2));
  const lastFeed = half.lastIndexOf('\n');
  const content =
    lastFeed === -1 ? half.replace(/[\uD800-\uDBFF]$/, '') : half.slice(0, lastFeed + 1);
  const startLine = text.startLine ?? 1;
  const endLine = startLine + Math.max(1, linesOf(content)) - 1;
  const { totalLines: _totalLines, nextColumn: _nextColumn, ...rest } = text;
  const next =
    lastFeed === -1
      ? { nextOffset: startLine, nextColumn: column + bytesOf(content) }
      : { nextOffset: endLine + 1 };
  return { ...rest, content, startLine, endLine, truncated: true, ...next };
}

function halveTail(text: ShownText): ShownText {
  const half = text.content.slice(Math.ceil(text.content.length / 2));
  const firstFeed = half.indexOf('\n');
  const content =
    firstFeed === -1 || firstFeed === half.length - 1
      ? half.replace(/^[\uDC00-\uDFFF]/, '')
      : half.slice(firstFeed + 1);
  const { startLine: _startLine, ...rest } = text;
  const startLine =
    text.endLine === undefined ? {} : { startLine: text.endLine - linesOf(content) + 1 };
  return { ...rest, ...startLine, content, truncated: true };
}

function linesOf(content: string): number {
  const feeds = content.split('\n').length - 1;
  return content.endsWith('\n') || content === '' ? feeds : feeds + 1;
}

function numbered({ content, startLine = 1 }: ShownText): string {
  let line = startLine;
  return content.replace(/^(?!$(?![\s\S]))/gm, () => `${line++}\t`);
}
