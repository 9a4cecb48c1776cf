import { PathError } from '@signalbox/file-sandbox';

export interface ContentPatternOptions {
  readonly pattern: string;
  /** Whether the pattern is a regular expression; otherwise it is literal text. */
  readonly regex: boolean;
  readonly caseSensitive: boolean;
}

/**
 * Whether a text begins and ends with its line. A long line is searched in parts that overlap by
 * `overlapLength`.
 */
export interface TextEnds {
  readonly isLineStart: boolean;
  readonly isLineEnd: boolean;
}

/**
 * Code units that two neighboring parts of a long line share. A shorter match is found as in a
 * search of the whole line.
 */
export const overlapLength = 16 * 1024;

/** A compiled pattern for the text of a line. */
export interface ContentPattern {
  /** Returns the position and length of the first match in UTF-16 code units. */
  find(
    text: string,
    ends: TextEnds,
  ): { readonly start: number; readonly length: number } | undefined;
  /** Bytes that every text with a match contains, except UTF-16; `undefined` when unknown. */
  readonly bytes: Buffer | undefined;
}

/**
 * Compiles a pattern whose search takes time linear in the text.
 * @throws PathError `invalid` for a regular expression that is none, or that needs more than linear time
 * @see https://github.com/google/re2/wiki/Syntax
 */
export async function compileContentPattern({
  pattern,
  regex,
  caseSensitive,
}: ContentPatternOptions): Promise<ContentPattern> {
  if (regex) return compileRegex(pattern, caseSensitive);
  if (!caseSensitive)
    return findWith(new RegExp(pattern.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`), 'iu'));
  const find = (line: string) => {
    const start = line.indexOf(pattern);
    return start === -1 ? undefined : { start, length: pattern.length };
  };
  // The bytes of other characters depend on the encoding.
  const isAscii = !/[^\0-\x7f]/.test(pattern);
  return { find, bytes: isAscii ? Buffer.from(pattern) : undefined };
}

async function compileRegex(pattern: string, caseSensitive: boolean): Promise<ContentPattern> {
  const { RE2JS } = await import('re2js');
  try {
    const compiled = RE2JS.compile(pattern, caseSensitive ? 0 : RE2JS.CASE_INSENSITIVE);
    return {
      find(text, { isLineStart, isLineEnd }) {
        // A test for any match is much faster than the search for its position.
        if (!compiled.test(text)) return undefined;
        const matcher = compiled.matcher(text);
        // The first character of a part is context for `^` and `\b` only.
        if (!matcher.find(isLineStart ? 0 : 1)) return undefined;
        const found = { start: matcher.start(), length: matcher.end() - matcher.start() };
        // `$` also matches at the end of a part. The next part, which overlaps, shows whether the
        // match is real.
        return isLineEnd || matcher.end() < text.length || found.length > overlapLength - 1
          ? found
          : undefined;
      },
      bytes: undefined,
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new PathError(
      'invalid',
      `The regular expression cannot be used: ${reason}. The syntax is RE2's, without backreferences and lookaround.`,
      { cause: error },
    );
  }
}

/** Returns a pattern of a literal, whose expression does not backtrack. */
function findWith(expression: RegExp): ContentPattern {
  return {
    find(line) {
      const found = expression.exec(line);
      return found === null ? undefined : { start: found.index, length: found[0].length };
    },
    bytes: undefined,
  };
}
