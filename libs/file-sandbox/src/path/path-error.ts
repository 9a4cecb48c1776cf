import { shownName } from './shown-name.ts';

/** Reason why a path cannot be used; a closed list for callers to branch on. */
export type PathErrorReason =
  | 'invalid'
  | 'outside'
  | 'not-found'
  | 'wrong-type'
  | 'special-file'
  | 'binary'
  | 'refused'
  | 'permission'
  | 'io';

/**
 * A failure to use a path. The message names the path in the caller's spelling and says what to do;
 * it never reveals whether a file exists outside the allowed directories.
 */
export class PathError extends Error {
  readonly reason: PathErrorReason;

  constructor(reason: PathErrorReason, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'PathError';
    this.reason = reason;
  }
}

/** Returns the denial for every path outside the allowed directories, existing or not. */
export function outsideError(path: string, cause?: unknown): PathError {
  const message = `Access denied: ${path} is outside the allowed directories, or is reached through a symbolic link that leads outside or nowhere.`;
  return new PathError('outside', message, { cause });
}

/** Returns the error for a path that the operator denied. */
export function deniedError(path: string): PathError {
  return new PathError('refused', `${path} is denied by the configuration of this server.`);
}

/** Returns the `code` of a failed system call, `undefined` for any other error. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}

/** Converts a failed system call on `path` to a `PathError`; returns other errors unchanged. */
export function toPathError(error: unknown, path: string): unknown {
  const code = errorCode(error);
  if (code === undefined || error instanceof PathError) return error;
  const [reason, problem] = systemErrors[code] ?? ['io', `the file system answered ${code}`];
  return new PathError(reason, `${shownName(path)}: ${problem}${unnameable(path, code)}`, {
    cause: error,
  });
}

/**
 * Returns a hint for a path with the replacement character, which stands for bytes that are not
 * UTF-8.
 */
function unnameable(path: string, code: string): string {
  const isLikely = code === 'ENOENT' && path.includes('\uFFFD');
  return isLikely
    ? '. Names with bytes that are not UTF-8 are listed with \\ufffd and cannot be used here; rename the file with another program.'
    : '';
}

const systemErrors: { readonly [code: string]: readonly [PathErrorReason, string] | undefined } = {
  ENOENT: ['not-found', 'no such file or directory'],
  ENOTDIR: ['not-found', 'a parent of this path is not a directory'],
  EISDIR: ['wrong-type', 'is a directory'],
  EEXIST: ['wrong-type', 'already exists'],
  ENOTEMPTY: ['wrong-type', 'the directory is not empty'],
  EXDEV: ['refused', 'is on another file system'],
  EBUSY: ['io', 'is in use by the operating system'],
  ETXTBSY: ['io', 'is being executed'],
  EFBIG: ['io', 'the file would be larger than the file system allows'],
  EMLINK: ['io', 'the file system allows no more links'],
  EACCES: ['permission', 'permission denied by the operating system'],
  EPERM: ['permission', 'operation not permitted by the operating system'],
  EROFS: ['permission', 'the file system is read-only'],
  ELOOP: ['invalid', 'too many symbolic links'],
  ENAMETOOLONG: ['invalid', 'the path or one of its names is too long'],
  EINVAL: ['invalid', 'the file system does not allow this name'],
  EILSEQ: ['invalid', 'the file system does not allow this name'],
  ENOSPC: ['io', 'no space left on the device'],
  EDQUOT: ['io', 'the disk quota is used up'],
  EMFILE: ['io', 'too many open files; try again'],
  ENFILE: ['io', 'too many open files; try again'],
};
