import path from 'node:path';

/** Whether `candidate` is `directory` or lies below it, by whole components. Both absolute and normalized; no file is touched. */
export function isInside(candidate: string, directory: string): boolean {
  const relative = path.relative(directory, candidate);
  return relative === '' || (relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative));
}
