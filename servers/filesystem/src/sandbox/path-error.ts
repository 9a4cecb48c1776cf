import { shownName } from '../files/shown-name.ts';

/** Why a path cannot be used; closed, so that a caller can branch on it. */
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
 * A path or its file cannot be used as asked. The message names the path as the caller spelled it and says what to do; it never tells whether
 * something exists outside the allowed directories.
 */
export class PathError extends Error {
  readonly reason: PathErrorReason;

  constructor(reason: PathErrorReason, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'PathError';
    this.reason = reason;
  }
}

/** The one denial for everything that is not below an allowed directory, whether it exists or not. */
export function outsideError(path: string, cause?: unknown): PathError {
  const message = `Access denied: ${path} is outside the allowed directories, or is reached through a symbolic link that leads outside or nowhere. Call list_allowed_directories to see what is allowed.`;
  return new PathError('outside', message, { cause });
}

/** What lies inside, but is none of the peer's business by the operator's decision. */
export function deniedError(path: string): PathError {
  return new PathError(
    'refused',
    `${path} is denied by the configuration of this server (--deny).`,
  );
}

/** The `code` of a failed system call, `undefined` for anything else. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}

/** Turns a failed system call on `path` into a `PathError`; every other error is returned as it is. */
export function toPathError(error: unknown, path: string): unknown {
  const code = errorCode(error);
  if (code === undefined || error instanceof PathError) return error;
  const [reason, problem] = systemErrors[code] ?? ['io', `the file system answered ${code}`];
  return new PathError(reason, `${shownName(path)}: ${problem}${unnameable(path, code)}`, {
    cause: error,
  });
}

/** The replacement character stands for bytes that are not UTF-8; a path that has it leads nowhere. */
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
