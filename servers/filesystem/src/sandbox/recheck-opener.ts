import { constants, type Dir, type Stats } from 'node:fs';
import { lstat, open, opendir, realpath, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { outsideError } from './path-error.ts';
import type { Opener, PinnedPath } from './pinned-path.ts';

/**
 * Platforms whose kernel does not name the file behind a descriptor: the path is resolved, opened without following a last link, and resolved
 * again; file, path and identity must agree. A directory swapped and swapped back between these steps goes unnoticed: the residual risk.
 */
export const recheckOpener: Opener = {
  kind: 'recheck',
  async pin(given, options = {}) {
    const realPath = options.followLast === false ? path.join(await realpath(path.dirname(given)), path.basename(given)) : await realpath(given);
    const stats = await lstat(realPath);
    if (stats.isSymbolicLink()) throw outsideError(given);
    return new CheckedPath(realPath, stats);
  },
};

class CheckedPath implements PinnedPath {
  readonly realPath: string;
  readonly stats: Stats;
  readonly address: string;

  constructor(realPath: string, stats: Stats) {
    this.realPath = realPath;
    this.stats = stats;
    this.address = realPath;
  }

  async open(flags: number): Promise<FileHandle> {
    const handle = await open(this.realPath, flags | noFollow | nonBlocking);
    try {
      const opened = await handle.stat();
      await this.#recheck(opened);
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async entries(): Promise<Dir> {
    const directory = await opendir(this.realPath, { bufferSize: 1024 });
    try {
      await this.#recheck(await lstat(this.realPath));
      return directory;
    } catch (error) {
      await directory.close();
      throw error;
    }
  }

  async close(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {}

  async #recheck(found: Stats): Promise<void> {
    const isSame = found.ino === this.stats.ino && found.dev === this.stats.dev;
    if (!isSame || (await realpath(this.realPath)) !== this.realPath) throw outsideError(this.realPath);
  }
}

// Windows has neither flag; its constants are undefined there.
const noFollow = (constants.O_NOFOLLOW as number | undefined) ?? 0;
const nonBlocking = (constants.O_NONBLOCK as number | undefined) ?? 0;
