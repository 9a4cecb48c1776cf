import { constants, type BigIntStats, type Dir, type Stats } from 'node:fs';
import { lstat, open, opendir, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { outsideError } from '../path/path-error.ts';
import type { PinnedPath } from './pinned-path.ts';
import { resolveRealPath } from '../path/resolve-real-path.ts';

/** Opens a path without following a last symbolic link, or without following any, as far as the platform can. */
export type OpenWithoutLinks = (path: string, flags: number, mode?: number) => Promise<FileHandle>;

export interface CheckedPathOptions {
  readonly realPath: string;
  readonly stats: Stats;
  /** Identity of the file of `stats`. */
  readonly identity: string | undefined;
  readonly open: OpenWithoutLinks;
  /** Handle that stays open while the path is held, so that its inode is not reused. */
  readonly handle?: FileHandle;
}

/**
 * A pinned path that is addressed by its text. Each use verifies that the pinned file is still
 * there.
 */
export class CheckedPath implements PinnedPath {
  readonly realPath: string;
  readonly stats: Stats;
  readonly identity: string | undefined;
  readonly address: string;
  readonly isHeld = false;
  readonly #open: OpenWithoutLinks;
  readonly #handle: FileHandle | undefined;

  constructor(options: CheckedPathOptions) {
    this.realPath = options.realPath;
    this.stats = options.stats;
    this.identity = options.identity;
    this.address = options.realPath;
    this.#open = options.open;
    this.#handle = options.handle;
  }

  async open(flags: number): Promise<FileHandle> {
    return this.#confirmed(await this.#open(this.realPath, flags | nonBlocking), (handle) =>
      this.#confirm(handle),
    );
  }

  async createFile(name: string, mode: number): Promise<FileHandle> {
    await this.verify();
    const handle = await this.#open(
      path.join(this.realPath, name),
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
      mode,
    );
    return this.#confirmed(handle, () => this.verify());
  }

  async entries(): Promise<Dir> {
    return this.#confirmed(await opendir(this.realPath, { bufferSize: 1024 }), () => this.verify());
  }

  async verify(): Promise<void> {
    const found = await lstat(this.realPath, { bigint: true });
    if (
      identityOf(found) !== this.identity ||
      (await resolveRealPath(this.realPath)) !== this.realPath
    )
      throw outsideError(this.realPath);
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #confirm(handle: FileHandle): Promise<void> {
    const opened = await handle.stat({ bigint: true });
    if (
      identityOf(opened) !== this.identity ||
      (await resolveRealPath(this.realPath)) !== this.realPath
    )
      throw outsideError(this.realPath);
  }

  async #confirmed<T extends { close(): Promise<void> }>(
    opened: T,
    confirm: (opened: T) => Promise<void>,
  ): Promise<T> {
    try {
      await confirm(opened);
      return opened;
    } catch (error) {
      await opened.close();
      throw error;
    }
  }
}

/**
 * Returns the identity of a file; `undefined` on file systems without inodes, such as some network
 * file systems. Inodes of Windows need 64 bits.
 */
export function identityOf(stats: BigIntStats): string | undefined {
  return stats.ino === 0n ? undefined : `${stats.dev}:${stats.ino}`;
}

// Undefined on Windows.
const nonBlocking = (constants.O_NONBLOCK as number | undefined) ?? 0;

export const openWithoutLastLink: OpenWithoutLinks = (target, flags, mode) =>
  open(target, flags | ((constants.O_NOFOLLOW as number | undefined) ?? 0), mode);
