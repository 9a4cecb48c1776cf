import type { Dir, Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

/**
 * A file or directory that was found and is held, so that what was checked is what is used. Close it with `await using` or `close()`.
 */
export interface PinnedPath extends AsyncDisposable {
  /** Absolute path without symbolic links at which the file system holds this file; the value that permissions are decided on. */
  readonly realPath: string;
  readonly stats: Stats;
  /** Leads system calls to this very file or directory, whatever was renamed since. Append `/name` to address an entry of the directory. */
  readonly address: string;
  /** Opens the content; `flags` are `fs.constants` without `O_CREAT`. */
  open(flags: number): Promise<FileHandle>;
  /** Streams the directory's entries. */
  entries(): Promise<Dir>;
  close(): Promise<void>;
}

export interface PinOptions {
  /** Whether a symbolic link as the last component is followed; default true. With false it is an error. */
  readonly followLast?: boolean;
}

/** How this platform holds a path. An opener decides nothing: comparing `realPath` with what is allowed is the sandbox's part. */
export interface Opener {
  /** What the guarantee of the pinned paths rests on. */
  readonly kind: 'kernel-handle' | 'recheck';
  /**
   * Finds what an absolute path leads to. Never blocks on, reads from or changes what it finds.
   * @throws the system error, `code` set
   */
  pin(path: string, options?: PinOptions): Promise<PinnedPath>;
}
