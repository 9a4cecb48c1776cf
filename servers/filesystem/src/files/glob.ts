import picomatch from 'picomatch';
import { PathError } from '../sandbox/path-error.ts';

export type Matcher = (relativePath: string) => boolean;

/**
 * Matches paths relative to the searched directory. A pattern without glob characters and without `/` matches that name at any depth; every
 * other pattern is a glob of `*`, `**`, `?`, `[...]` and `{a,b}` over the whole relative path (`*.js` is the first level, `**` any depth), dot
 * files included. Groups, repetition and negation of whole patterns are ordinary characters.
 * @throws PathError `invalid`
 */
export function compilePattern(pattern: string): Matcher {
  const glob = pattern.replace(/^\.\//, '').replace(/(?<=.)\/$/, '');
  if (glob.startsWith('/')) throw new PathError('invalid', `The pattern ${pattern} starts with /. Patterns are relative to path.`);
  if (!/[*?[\]{}/\\]/.test(glob)) return (relativePath) => relativePath.slice(relativePath.lastIndexOf('/') + 1) === glob;
  refuseSlowPattern(glob);
  return picomatch(escapeRegexSyntax(glob), { dot: true, flags: 's', noextglob: true, nonegate: true });
}

/** The library passes groups and quantifiers on to the regular expression, where they can take exponential time. */
function escapeRegexSyntax(glob: string): string {
  return glob.replace(/\\[\s\S]|[()|+]/g, (found) => (found.length > 1 ? found : `\\${found}`));
}

/** Stars that share a path segment make the matcher's time a power of the name's length; so do repeated globstars with the path's. */
function refuseSlowPattern(glob: string): void {
  const segments = glob.split('/');
  const globstars = segments.filter((segment) => segment.includes('**')).length;
  const mostStars = Math.max(...segments.map((segment) => segment.match(/\*+/g)?.length ?? 0));
  if (globstars > 3 || mostStars > 3) throw new PathError('invalid', `The pattern ${glob} has too many stars: at most 3 in one segment and 3 times **.`);
}
