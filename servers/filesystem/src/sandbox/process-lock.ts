import { constants } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { nodeCrypto } from '../files/node-crypto.ts';
import { errorCode, PathError } from './path-error.ts';

/** Takes a lock at once; `undefined` when another process holds it. The system releases it when this process ends, however that happens. */
export type TryLock = (name: string) => Promise<(() => Promise<void>) | undefined>;

export interface ProcessLocksOptions {
  /** How long a caller waits for another process; default 10 s. */
  readonly timeoutMs?: number;
  /** Default: the way of this platform. */
  readonly tryLock?: TryLock;
}

/**
 * Locks that every server of this package on the same machine sees. They are advisory: other programs do not know of them. On Linux a lock is an
 * abstract Unix socket (shared within a network namespace), on Windows a named pipe, on macOS a locked file in the folder for temporary files.
 */
export class ProcessLocks {
  readonly #timeoutMs: number;
  readonly #tryLock: TryLock;

  constructor({ timeoutMs = 10_000, tryLock = platformLock() }: ProcessLocksOptions = {}) {
    this.#timeoutMs = timeoutMs;
    this.#tryLock = tryLock;
  }

  /**
   * Waits until no other process holds `key`; the result releases it.
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
      // A random delay: two waiting processes must not meet at each attempt.
      await delay(waitMs * (0.5 + Math.random()), undefined, { signal }).catch(() =>
        signal.throwIfAborted(),
      );
    }
  }
}

const longestWaitMs = 16;

/** Of a system that refuses the lock altogether, as some containers refuse sockets: there calls of other servers are not excluded. */
const noRelease = () => Promise.resolve();

function heldError(key: string, timeoutMs: number): PathError {
  return new PathError(
    'io',
    `${key}: another file server has been writing this file for more than ${timeoutMs / 1000} s. Nothing was written. Try again.`,
  );
}

function platformLock(): TryLock {
  if (process.platform === 'linux') return (name) => listenAlone(`\0${name}`);
  if (process.platform === 'win32') return (name) => listenAlone(`\\\\.\\pipe\\${name}`);
  return lockFile;
}

/** Only one process can listen at an address, and the kernel closes it with the process. */
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

/** Of Darwin's fcntl.h; not in `fs.constants`. */
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
