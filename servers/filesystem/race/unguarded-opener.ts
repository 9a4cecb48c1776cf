import { constants, type Dir, type Stats } from 'node:fs';
import { lstat, open, opendir, realpath, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import type { Opener, PinnedPath, PinOptions } from '@signalbox/file-sandbox';

/**
 * An opener that resolves and checks a path and then uses its text again, like most filesystem servers:
 * the control of the race. A directory that is swapped with a link in between leads outside.
 */
export const unguardedOpener: Opener = {
  // The sandbox checks the text of such paths first, as for kernel handles.
  kind: 'kernel-handle',
  async pin(given: string, { followLast = true }: PinOptions = {}) {
    const realPath = followLast
      ? await realpath(given)
      : path.join(await realpath(path.dirname(given)), path.basename(given));
    const stats = followLast ? await stat(given) : await lstat(given);
    return new NamedPath(realPath, stats, given);
  },
};

class NamedPath implements PinnedPath {
  readonly realPath: string;
  readonly stats: Stats;
  readonly address: string;
  readonly isHeld = false;

  constructor(realPath: string, stats: Stats, address: string) {
    this.realPath = realPath;
    this.stats = stats;
    this.address = address;
  }

  get identity(): string {
    return `${this.stats.dev}:${this.stats.ino}`;
  }

  open(flags: number): Promise<FileHandle> {
    return open(this.address, flags);
  }

  createFile(name: string, mode: number): Promise<FileHandle> {
    return open(
      path.join(this.address, name),
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
      mode,
    );
  }

  entries(): Promise<Dir> {
    return opendir(this.address);
  }

  async verify(): Promise<void> {
    // Does not verify again.
  }

  async close(): Promise<void> {
    // Holds nothing.
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Holds nothing.
  }
}
