import { isUtf8 } from 'node:buffer';
import {
  closeSync,
  constants,
  fstatSync,
  open as openInThread,
  openSync,
  readlinkSync,
  readSync,
  type Dir,
  type Stats,
} from 'node:fs';
import { open, opendir, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { outsideError, PathError } from '../path/path-error.ts';
import type { Opener, PinnedPath, PinOptions } from './pinned-path.ts';

/**
 * The opener for Linux. The kernel reports the path of an open descriptor in `/proc/self/fd/N`, and
 * the same name reopens that file. A path swapped between check and use has no effect, because no
 * path is looked up after `pin`.
 */
export const kernelHandleOpener: Opener = {
  kind: 'kernel-handle',
  pinNow: (given, options = {}) => hold(openSync(given, flagsOf(options)), given),
  async pin(given, options = {}) {
    for (let attempt = 1; ; attempt++) {
      const pinned = await pinOnce(given, options);
      if (!pinned.isDeleted) return pinned;
      await pinned.close();
      if (attempt === deletedAttempts)
        throw new PathError('not-found', `${given}: was deleted while it was being opened`);
    }
  },
};

/** Whether the kernel of this process supports `kernelHandleOpener`. */
export async function hasKernelHandles(directory: string): Promise<boolean> {
  try {
    await using pinned = await pinOnce(directory, {});
    await using again = await pinOnce(pinned.address, {});
    return again.realPath === pinned.realPath && again.stats.ino === pinned.stats.ino;
  } catch {
    return false;
  }
}

/**
 * Maximum number of lookups of a file that is replaced by rename during each of them; then it
 * counts as missing.
 */
const deletedAttempts = 10;

/**
 * O_PATH of Linux, a descriptor that names a file without opening it, so that FIFOs do not block
 * and devices do not act. Missing in `fs.constants`.
 */
const openPathOnly = 0o10000000;

async function pinOnce(given: string, options: PinOptions): Promise<KernelHandle> {
  return hold(await openDescriptor(given, flagsOf(options)), given);
}

function flagsOf({ followLast }: PinOptions): number {
  return openPathOnly | (followLast === false ? constants.O_NOFOLLOW : 0);
}

function hold(descriptor: number, given: string): KernelHandle {
  try {
    // The kernel has this in memory after the lookup; a call in a thread takes ten times as long.
    const link = readlinkSync(`/proc/self/fd/${descriptor}`, { encoding: 'buffer' });
    const stats = fstatSync(descriptor);
    if (stats.isSymbolicLink()) throw outsideError(given);
    if (!isUtf8(link))
      throw new PathError('invalid', `${given}: leads to a name that is not valid UTF-8`);
    return new KernelHandle(descriptor, link.toString(), stats);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

function openDescriptor(given: string, flags: number): Promise<number> {
  return new Promise((resolve, reject) => {
    openInThread(given, flags, (error, descriptor) => {
      if (error === null) resolve(descriptor);
      else reject(error);
    });
  });
}

class KernelHandle implements PinnedPath {
  readonly realPath: string;
  readonly stats: Stats;
  readonly isHeld = true;
  readonly #descriptor: number;
  readonly #opening = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(descriptor: number, realPath: string, stats: Stats) {
    this.#descriptor = descriptor;
    this.realPath = realPath;
    this.stats = stats;
  }

  /** Throws after `close`, when the number of the descriptor may belong to another file. */
  get address(): string {
    if (this.#isClosed) throw new Error(`${this.realPath} was used after it was closed`);
    return `/proc/self/fd/${this.#descriptor}`;
  }

  get isDeleted(): boolean {
    return this.stats.nlink === 0 && this.realPath.endsWith(' (deleted)');
  }

  get identity(): string {
    return `${this.stats.dev}:${this.stats.ino}`;
  }

  readNow(buffer: Buffer): number {
    const descriptor = openSync(
      this.address,
      constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY,
    );
    try {
      let length = 0;
      for (let read = -1; read !== 0 && length < buffer.length; length += read)
        read = readSync(descriptor, buffer, length, buffer.length - length, length);
      return length;
    } finally {
      closeSync(descriptor);
    }
  }

  open(flags: number): Promise<FileHandle> {
    return this.#opened(open(this.address, flags | constants.O_NONBLOCK | constants.O_NOCTTY));
  }

  createFile(name: string, mode: number): Promise<FileHandle> {
    return this.#opened(
      open(
        path.join(this.address, name),
        constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
        mode,
      ),
    );
  }

  entries(): Promise<Dir> {
    return this.#opened(opendir(this.address, { bufferSize: 1024 }));
  }

  async verify(): Promise<void> {}

  /**
   * Closes the descriptor, which holds no data and closes at once. Waits for threads that still
   * open files through it, so that its number is not reused before.
   */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#opening.size > 0) await Promise.allSettled(this.#opening);
    closeSync(this.#descriptor);
  }

  async #opened<T>(opening: Promise<T>): Promise<T> {
    this.#opening.add(opening);
    try {
      return await opening;
    } finally {
      this.#opening.delete(opening);
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
