import type { Dir, Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

/**
 * A file or directory that was found and is held, so that what was checked is what is used. Close it with `await using` or `close()`.
 */
export interface PinnedPath extends AsyncDisposable {
  /** Absolute path without symbolic links at which the file system holds this file; the value that permissions are decided on. */
  readonly realPath: string;
  readonly stats: Stats;
  /** Device and inode: the same for every name of one file, and for nothing else that exists at the same time. `undefined` where unknown. */
  readonly identity: string | undefined;
  /** Leads system calls to this very file or directory, whatever was renamed since. Append `/name` to address an entry of the directory. */
  readonly address: string;
  /** Whether `address` cannot lead elsewhere; otherwise use it only right after `verify`, and never to read or write content. */
  readonly isHeld: boolean;
  /**
   * Reads the start of a regular file at once, on the calling thread; absent where that cannot be done safely. Use it only on file systems that answer
   * quickly.
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
   * To be called right before `address` is used in a system call by name. Where the address cannot lead elsewhere nothing is done.
   * @throws PathError `outside` when something else is found there
   */
  verify(): Promise<void>;
  close(): Promise<void>;
}

export interface PinOptions {
  /** Whether a symbolic link as the last component is followed; default true. With false it is an error. */
  readonly followLast?: boolean;
  /** The allowed directory the path is looked up for: where several lookups hang, more are refused at once. Default: the path itself. */
  readonly within?: string;
}

/** How this platform holds a path. An opener decides nothing: comparing `realPath` with what is allowed is the sandbox's part. */
export interface Opener {
  /**
   * What the guarantee of the pinned paths rests on: everything goes through the kernel's handle; files are opened without following any link
   * while other calls use a checked path; or paths are checked before and after use.
   */
  readonly kind: 'kernel-handle' | 'no-follow' | 'recheck';
  /**
   * Finds what an absolute path leads to. Never blocks on, reads from or changes what it finds.
   * @throws the system error, `code` set
   */
  pin(path: string, options?: PinOptions): Promise<PinnedPath>;
  /** Like `pin` on the calling thread, for file systems that answer quickly; absent where `pin` needs several steps. A deleted file may be found. */
  readonly pinNow?: (path: string, options?: PinOptions) => PinnedPath;
}
