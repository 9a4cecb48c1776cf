import { PathError } from '@signalbox/file-sandbox';
import { expandBraces } from './expand-braces.ts';
import { anything, matchSequence, type SequencePattern } from './match-sequence.ts';
import { compileName } from './name-pattern.ts';

export type Matcher = (relativePath: string) => boolean;

/**
 * Compiles patterns to matchers of paths relative to the searched directory. A pattern without glob
 * characters and without `/` matches that name at any depth. Every other pattern is a glob over the
 * whole relative path, dot files included: `*`, `**`, `?`, `[...]` and `{a,b}` (`*.js` is the first
 * level, `**` any depth). `\` escapes the next character. A match takes at most the length of the
 * path times the total length of the patterns, which is limited.
 * @throws PathError `invalid`
 */
export function compilePatterns(patterns: readonly string[]): Matcher[] {
  let length = 0;
  return patterns.map((pattern) => {
    const alternatives = expand(pattern);
    for (const alternative of alternatives) length += alternative.length;
    if (length > maxLength)
      throw new PathError(
        'invalid',
        `The patterns are too long: together at most ${maxLength} characters, every {a,b} written out.`,
      );
    return compile(alternatives);
  });
}

const maxLength = 10_000;
const maxAlternatives = 200;

/** Returns the globs that a pattern stands for, with its braces expanded; at least one. */
function expand(pattern: string): readonly string[] {
  const glob = pattern.replace(/^\.\//, '').replace(/(?<=.)\/$/, '');
  if (glob.startsWith('/'))
    throw new PathError(
      'invalid',
      `The pattern ${pattern} starts with /. Patterns are relative to path.`,
    );
  const alternatives = expandBraces(glob, maxAlternatives);
  if (alternatives === undefined)
    throw new PathError(
      'invalid',
      `The pattern ${pattern} expands to too many patterns: its {a,b} may make at most ${maxAlternatives} patterns.`,
    );
  return alternatives;
}

function compile(alternatives: readonly string[]): Matcher {
  const [only = ''] = alternatives;
  if (alternatives.length === 1 && isPlainName(only))
    return (relativePath) => relativePath.slice(relativePath.lastIndexOf('/') + 1) === only;
  const globs = alternatives.map(compilePath);
  return (relativePath) => {
    const names = relativePath.split('/');
    return globs.some((glob) => matchSequence(glob, names));
  };
}

function isPlainName(glob: string): boolean {
  return !/[*?[\]{}/\\]/.test(glob);
}

function compilePath(glob: string): SequencePattern<string> {
  const names = glob
    .split('/')
    .filter((name, index, all) => name !== '**' || all[index - 1] !== '**');
  const pattern = names.map((name) => (name === '**' ? anything : compileName(name)));
  // src/** includes the directory src itself. */** does not include every directory: files of the
  // first level would match.
  const isBelowAny =
    names.length > 1 && names.at(-1) === '**' && /(?<!\\)\*$/.test(names.at(-2) ?? '');
  return isBelowAny ? [...pattern, () => true] : pattern;
}
