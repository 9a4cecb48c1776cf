import path from 'node:path';

/**
 * Whether `candidate` is `directory` or lies below it, by whole components of normalized paths.
 * False for a path that is not absolute: the kernel names a pipe `pipe:[7]`, and an unreachable
 * file `(unreachable)/a`.
 */
export function isInside(candidate: string, directory: string): boolean {
  if (!path.isAbsolute(candidate)) return false;
  if (path.sep === '/' && !candidate.includes('/..'))
    return (
      candidate === directory ||
      candidate.startsWith(directory.endsWith('/') ? directory : `${directory}/`)
    );
  const relative = path.relative(directory, candidate);
  return (
    relative === '' ||
    (relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative))
  );
}
