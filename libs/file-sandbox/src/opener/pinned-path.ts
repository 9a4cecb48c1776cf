import type { Dir, Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

/**
 * A found file or directory that is held, so that a use reaches the checked file. Close it with
 * `await using` or `close()`.
 */
export interface PinnedPath extends AsyncDisposable {
  /** Absolute path of the file without symbolic links; permissions are decided on this value. */
  readonly realPath: string;
  readonly stats: Stats;
  /** Device and inode: the same for every name of one file, and for nothing else that exists at the same time. `undefined` where unknown. */
  readonly identity: string | undefined;
  /**
   * Path for system calls that leads to this file or directory even after renames. Append `/name`
   * to address an entry of the directory.
   */
  readonly address: string;
  /**
   * Whether `address` can never lead elsewhere; otherwise use it only right after `verify`, and
   * never to read or write content.
   */
  readonly isHeld: boolean;
  /**
   * Reads the start of a regular file on the calling thread; absent where this is unsafe. Use it
   * only on fast file systems.
   * @throws the system error
   */
  readNow?(buffer: Buffer): number;
  /** Opens the content; `flags` are `fs.constants` without `O_CREAT`. */
  open(flags: number): Promise<FileHandle>;
  /**
   * Creates a file in this directory and opens it for writing. Never follows a link.
   * @throws the system error, `EEXIST` when the name is taken by anything
   */
  createFile(name: string, mode: number): Promise<FileHandle>;
  /** Streams the directory's entries. */
  entries(): Promise<Dir>;
  /**
   * Verifies that `address` still leads to this file. Call it right before each use of `address`.
   * @throws PathError `outside` when something else is found there
   */
  verify(): Promise<void>;
  /** Releases what is held of the file. May be called again. */
  close(): Promise<void>;
}

/** Settings of one lookup. */
export interface PinOptions {
  /** Whether a symbolic link as the last component is followed; default true. With false it is an error. */
  readonly followLast?: boolean | undefined;
  /**
   * Allowed directory of the path; when several lookups hang in it, further ones are refused.
   * Default: the path itself.
   */
  readonly within?: string | undefined;
}

/**
 * Finds and holds paths on one platform. An opener makes no decisions: the sandbox compares
 * `realPath` with the allowed directories.
 */
export interface Opener {
  /**
   * Basis of the guarantee of pinned paths. `kernel-handle`: every call uses the kernel's handle.
   * `no-follow`: files are opened without following any link, other calls use a checked path.
   * `recheck`: paths are checked before and after use.
   */
  readonly kind: 'kernel-handle' | 'no-follow' | 'recheck';
  /**
   * Finds the file at an absolute path. Never blocks on it, reads from it or changes it.
   * @throws the system error, `code` set
   */
  pin(path: string, options?: PinOptions): Promise<PinnedPath>;
  /**
   * Does the same as `pin` on the calling thread, for fast file systems; absent where `pin` needs
   * several steps. May find a deleted file.
   */
  readonly pinNow?: (path: string, options?: PinOptions) => PinnedPath;
}
