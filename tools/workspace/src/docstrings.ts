const FORBIDDEN = '(?:What|Who|Whose|That|Those|Of|One|It)';
const DOCSTRING = new RegExp(String.raw`/\*\*[\s*]*(${FORBIDDEN}\b[^\n]*)`, 'gu');
/** A block of line comments at the start of a file, after a `#!` line. */
const FILE_COMMENT = new RegExp(String.raw`^(?:#![^\n]*\n)?//\s*(${FORBIDDEN}\b[^\n]*)`, 'gu');

/**
 * Lists the docstrings and the leading file comment that begin with a pronoun or another forbidden word, as
 * `path:line: first words`. A docstring begins with a third-person verb or a noun phrase.
 */
export function docstringProblems(path: string, text: string): readonly string[] {
  return [...text.matchAll(FILE_COMMENT), ...text.matchAll(DOCSTRING)].map((match) => {
    const line = text.slice(0, match.index + match[0].lastIndexOf('\n') + 1).split('\n').length;
    return `${path}:${String(line)}: ${(match[1] ?? '').slice(0, 60)}`;
  });
}
