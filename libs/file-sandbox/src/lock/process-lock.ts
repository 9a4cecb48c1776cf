import { constants } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { nodeCrypto } from '../node-crypto.ts';
import { errorCode, PathError } from '../path/path-error.ts';

/**
 * Tries to acquire a lock; `undefined` when another process holds it. The system releases the lock
 * when this process ends, even by a crash.
 */
export type TryLock = (name: string) => Promise<(() => Promise<void>) | undefined>;

/** Settings of the locks between processes. */
export interface ProcessLocksOptions {
  /** Time limit for the wait for another process, in milliseconds; default 10000. */
  readonly timeoutMs?: number | undefined;
  /** Default: the implementation for this platform. */
  readonly tryLock?: TryLock | undefined;
}

/**
 * Locks between the servers of this package on one machine. They are advisory: other programs
 * ignore them. A lock is an abstract Unix socket on Linux (shared within a network namespace), a
 * named pipe on Windows, and a locked file in the temporary folder on macOS.
 */
export class ProcessLocks {
  readonly #timeoutMs: number;
  readonly #tryLock: TryLock;

  constructor({ timeoutMs = 10_000, tryLock = platformLock() }: ProcessLocksOptions = {}) {
    this.#timeoutMs = timeoutMs;
    this.#tryLock = tryLock;
  }

  /**
   * Waits until no other process holds `key`, and acquires it. The result releases it.
   * @throws PathError `io` after the time limit, and the signal's reason
   */
  async acquire(key: string, signal: AbortSignal): Promise<() => Promise<void>> {
    const name = `signalbox-fs-${nodeCrypto().createHash('sha256').update(key).digest('hex').slice(0, 40)}`;
    const deadline = performance.now() + this.#timeoutMs;
    for (let waitMs = 1; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
      signal.throwIfAborted();
      const release = await this.#tryLock(name).catch(() => noRelease);
      if (release !== undefined) return release;
      if (performance.now() > deadline) throw heldError(key, this.#timeoutMs);
      // A random delay, so that two waiting processes do not collide at each attempt.
      await delay(waitMs * (0.5 + Math.random()), undefined, { signal }).catch(() =>
        signal.throwIfAborted(),
      );
    }
  }
}

const longestWaitMs = 16;

/**
 * The release on a system that refuses the lock itself, such as a container without sockets. There
 * other servers are not excluded.
 */
const noRelease = () => Promise.resolve();

function heldError(key: string, timeoutMs: number): PathError {
  return new PathError(
    'io',
    `${key}: another server has been writing this file for more than ${timeoutMs / 1000} s. Nothing was written. Try again.`,
  );
}

function platformLock(): TryLock {
  if (process.platform === 'linux') return (name) => listenAlone(`\0${name}`);
  if (process.platform === 'win32') return (name) => listenAlone(`\\\\.\\pipe\\${name}`);
  return lockFile;
}

/**
 * Acquires a lock by listening at an address: only one process can, and the kernel closes the
 * address with the process.
 */
function listenAlone(address: string): Promise<(() => Promise<void>) | undefined> {
  const server = process.getBuiltinModule('node:net').createServer((socket) => socket.destroy());
  const { promise, resolve, reject } = Promise.withResolvers<(() => Promise<void>) | undefined>();
  server.once('error', (error) => {
    if (errorCode(error) === 'EADDRINUSE') resolve(undefined);
    else reject(error);
  });
  server.listen({ path: address, exclusive: true }, () => {
    server.unref();
    resolve(() => new Promise((closed) => server.close(() => closed())));
  });
  return promise;
}

/** O_EXLOCK from Darwin's fcntl.h; missing in `fs.constants`. */
const exclusiveLock = 0x20;

async function lockFile(name: string): Promise<(() => Promise<void>) | undefined> {
  const folder = path.join(tmpdir(), `signalbox-fs-locks-${process.getuid?.() ?? 0}`);
  await mkdir(folder, { mode: 0o700, recursive: true });
  try {
    const flags =
      constants.O_RDWR |
      constants.O_CREAT |
      constants.O_NONBLOCK |
      constants.O_NOFOLLOW |
      exclusiveLock;
    const handle = await open(path.join(folder, name), flags, 0o600);
    return () => handle.close();
  } catch (error) {
    if (errorCode(error) === 'EAGAIN') return undefined;
    throw error;
  }
}
