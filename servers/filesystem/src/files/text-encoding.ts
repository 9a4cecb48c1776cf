import { isUtf8 } from 'node:buffer';
import { PathError } from '@signalbox/file-sandbox';
import type { TextCounts } from './limits.ts';

export const textEncodings = ['utf-8', 'utf-16le', 'utf-16be', 'latin1'] as const;
/**
 * The supported encodings. `latin1` is also the fallback for unknown bytes: each byte is one
 * character, so that nothing is lost.
 */
export type TextEncoding = (typeof textEncodings)[number];

export const lineEndings = ['lf', 'crlf', 'cr', 'mixed', 'none'] as const;
/** The line endings. `cr`: carriage returns without line feeds, as in old Macintosh files. */
export type LineEnding = (typeof lineEndings)[number];

export interface TextFormat {
  readonly encoding: TextEncoding;
  /** Whether the file begins with a byte order mark, which is not part of the text. */
  readonly bom: boolean;
}

export interface DecodedText extends TextFormat {
  readonly text: string;
  readonly eol: LineEnding;
}

/**
 * Determines the encoding from the first 8 KiB of a file. Returns `undefined` when they are not
 * text.
 */
export function inspectStart(
  start: Buffer,
): { readonly encoding: Exclude<TextEncoding, 'latin1'>; readonly markBytes: number } | undefined {
  if (start[0] === 0xff && start[1] === 0xfe) return { encoding: 'utf-16le', markBytes: 2 };
  if (start[0] === 0xfe && start[1] === 0xff) return { encoding: 'utf-16be', markBytes: 2 };
  if (start.includes(0)) return undefined;
  return {
    encoding: 'utf-8',
    markBytes: start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf ? 3 : 0,
  };
}

/**
 * Decodes a whole file to a text that `encodeText` turns back into the same bytes; `undefined` when
 * it is not text.
 */
export function decodeText(bytes: Buffer): DecodedText | undefined {
  const found = inspectStart(bytes);
  if (found === undefined) return undefined;
  const { encoding, markBytes } = found;
  const body = bytes.subarray(markBytes);
  if (encoding === 'utf-8') {
    const kept = isUtf8(body) ? 'utf-8' : 'latin1';
    // Before bytes that are not UTF-8 a mark is three ordinary characters.
    const isMark = markBytes > 0 && kept === 'utf-8';
    const text = (isMark ? body : bytes).toString(kept);
    return { text, encoding: kept, bom: isMark, eol: lineEndingOf(text) };
  }
  const text = decodeUtf16(body, encoding);
  return text === undefined ? undefined : { text, encoding, bom: true, eol: lineEndingOf(text) };
}

/**
 * Encodes a text in this format.
 * @throws PathError `refused` for a character that the encoding does not have
 */
export function encodeText(text: string, { encoding, bom }: TextFormat): Buffer {
  switch (encoding) {
    case 'utf-8':
      requireWellFormed(text);
      return Buffer.from(bom ? `\uFEFF${text}` : text);
    case 'latin1': {
      const foreign = /[^\0-\xff]/.exec(text);
      if (foreign !== null)
        throw new PathError(
          'refused',
          `The file is not UTF-8, and ${JSON.stringify(foreign[0])} cannot be written in its encoding (one byte for each character). Nothing was written.`,
        );
      return Buffer.from(text, 'latin1');
    }
    case 'utf-16le':
    case 'utf-16be': {
      requireWellFormed(text);
      const bytes = Buffer.from(bom ? `\uFEFF${text}` : text, 'utf16le');
      return encoding === 'utf-16le' ? bytes : bytes.swap16();
    }
  }
}

export function lineEndingOf(text: string): LineEnding {
  let feeds = 0;
  let pairs = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    feeds++;
    if (text.charCodeAt(at - 1) === 13) pairs++;
  }
  return kindOfLineEnds({ feeds, pairs, returns: feeds === 0 && text.includes('\r') ? 1 : pairs });
}

/** Returns the kind of the line ends that were counted in a text. */
export function kindOfLineEnds({
  feeds,
  pairs,
  returns,
}: Pick<TextCounts, 'feeds' | 'pairs' | 'returns'>): LineEnding {
  if (feeds === 0) return returns > 0 ? 'cr' : 'none';
  if (pairs === 0) return 'lf';
  return pairs === feeds ? 'crlf' : 'mixed';
}

function decodeUtf16(bytes: Buffer, encoding: 'utf-16le' | 'utf-16be'): string | undefined {
  if (bytes.length % 2 !== 0) return undefined;
  const text = (encoding === 'utf-16le' ? bytes : Buffer.from(bytes).swap16()).toString('utf16le');
  return text.isWellFormed() ? text : undefined;
}

function requireWellFormed(text: string): void {
  if (!text.isWellFormed())
    throw new PathError(
      'refused',
      'The text has half of a surrogate pair, which no encoding can hold. Nothing was written.',
    );
}
