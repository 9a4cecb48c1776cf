import { PathError } from '../sandbox/path-error.ts';

export interface ContentPatternOptions {
  readonly pattern: string;
  /** Whether the pattern is a regular expression; else it is looked for as it is. */
  readonly regex: boolean;
  readonly caseSensitive: boolean;
}

/** Whether a text begins and ends where its line does. A long line is searched in parts, which overlap by `overlapLength`. */
export interface TextEnds {
  readonly isLineStart: boolean;
  readonly isLineEnd: boolean;
}

/** Code units that two neighboring parts of a long line share. A match of at most as many is found as if the line were searched as a whole. */
export const overlapLength = 16 * 1024;

/** What is looked for in a line. */
export interface ContentPattern {
  /** The first match, by position and length in UTF-16 code units. */
  find(
    text: string,
    ends: TextEnds,
  ): { readonly start: number; readonly length: number } | undefined;
  /** Bytes without which a text has no match, unless it is UTF-16; `undefined` when that cannot be said. */
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
  // Other characters have other bytes in a text that is not UTF-8.
  const isAscii = !/[^\0-\x7f]/.test(pattern);
  return { find, bytes: isAscii ? Buffer.from(pattern) : undefined };
}

async function compileRegex(pattern: string, caseSensitive: boolean): Promise<ContentPattern> {
  const { RE2JS } = await import('re2js');
  try {
    const compiled = RE2JS.compile(pattern, caseSensitive ? 0 : RE2JS.CASE_INSENSITIVE);
    return {
      find(text, { isLineStart, isLineEnd }) {
        // Whether there is a match is found much faster than where it is.
        if (!compiled.test(text)) return undefined;
        const matcher = compiled.matcher(text);
        // The first character of a part only says what stands before the second one: `^` and `\b` look back.
        if (!matcher.find(isLineStart ? 0 : 1)) return undefined;
        const found = { start: matcher.start(), length: matcher.end() - matcher.start() };
        // At the end of a part `$` matches too; the next part, which begins earlier, shows whether it is right.
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

/** Of a literal, which does not backtrack. */
function findWith(expression: RegExp): ContentPattern {
  return {
    find(line) {
      const found = expression.exec(line);
      return found === null ? undefined : { start: found.index, length: found[0].length };
    },
    bytes: undefined,
  };
}
