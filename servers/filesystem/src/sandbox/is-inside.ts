import path from 'node:path';

/**
 * Whether `candidate` is `directory` or lies below it, by whole components. Both normalized; no file is touched. What is not absolute is inside
 * nothing: the kernel names a pipe `pipe:[7]`, and a file it cannot reach `(unreachable)/a`.
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
