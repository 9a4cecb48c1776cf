import picomatch from 'picomatch';
import { PathError } from '../sandbox/path-error.ts';

export type Matcher = (relativePath: string) => boolean;

/**
 * Matches paths relative to the searched directory. A pattern without glob characters and without `/` matches that name at any depth; every
 * other pattern is a glob over the whole relative path (`*.js` is the first level, `**` any depth), dot files included.
 * @throws PathError `invalid`
 */
export function compilePattern(pattern: string): Matcher {
  const glob = pattern.replace(/^\.\//, '').replace(/(?<=.)\/$/, '');
  if (glob.startsWith('/')) throw new PathError('invalid', `The pattern ${pattern} starts with /. Patterns are relative to path.`);
  if (!/[*?[\]{}()!/\\]/.test(glob)) return (relativePath) => relativePath.slice(relativePath.lastIndexOf('/') + 1) === glob;
  refuseSlowPattern(glob);
  return picomatch(glob, { dot: true, noextglob: true, strictSlashes: false });
}

/** Stars that share a path segment make the matcher's time a power of the name's length; so do repeated globstars with the path's. */
function refuseSlowPattern(glob: string): void {
  const segments = glob.split('/');
  const globstars = segments.filter((segment) => segment.includes('**')).length;
  const mostStars = Math.max(...segments.map((segment) => segment.match(/\*+/g)?.length ?? 0));
  if (globstars > 4 || mostStars > 4) throw new PathError('invalid', `The pattern ${glob} has too many stars: at most 4 in one segment and 4 times **.`);
}
