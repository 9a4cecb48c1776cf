import { statSync } from 'node:fs';

/** Time after which a file system gives the next write another time, with a reserve. */
const CLOCK_TICK_MS = 10;

/**
 * Returns a text that differs after each commit to the database file at `path`: identity, size and
 * time of the file and of its WAL. A checkpoint changes it too.
 */
export function fileState(path: string): string {
  return readFiles(path).state;
}

/** Returns the state after waiting, at most 10 ms, until a write from now on changes it. */
export function settledFileState(path: string): string {
  const { state, writtenMs } = readFiles(path);
  const ageMs = Date.now() - writtenMs;
  if (ageMs < 0 || ageMs >= CLOCK_TICK_MS) return state;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, CLOCK_TICK_MS - ageMs);
  return fileState(path);
}

/** Returns the state, and the time of the last write in milliseconds. */
function readFiles(path: string): { readonly state: string; readonly writtenMs: number } {
  const file = statSync(path, { bigint: true, throwIfNoEntry: false });
  const wal = statSync(`${path}-wal`, { bigint: true, throwIfNoEntry: false });
  // A reader creates an empty WAL.
  const log = wal === undefined || wal.size === 0n ? [] : [wal.size, wal.mtimeNs];
  return {
    state: [file?.dev, file?.ino, file?.size, file?.mtimeNs, ...log].join(':'),
    writtenMs: Math.max(Number(file?.mtimeMs ?? 0n), Number(wal?.mtimeMs ?? 0n)),
  };
}
