import { statSync } from 'node:fs';

/** Time after which a file system gives the next write another time, with a reserve. */
const CLOCK_TICK_MS = 10;

/**
 * Returns a text that differs after each commit to the database file at `path`: identity, size and
 * time of the file and of its WAL. A checkpoint changes it too.
 */
export function fileState(path: string): string {
  const file = statSync(path, { bigint: true, throwIfNoEntry: false });
  const wal = statSync(`${path}-wal`, { bigint: true, throwIfNoEntry: false });
  // A reader creates an empty WAL.
  const log = wal === undefined || wal.size === 0n ? [] : [wal.size, wal.mtimeNs];
  return [file?.dev, file?.ino, file?.size, file?.mtimeNs, ...log].join(':');
}

/** Waits, at most 10 ms, until a write from now on gives the file another time than its last one. */
export function waitForClockTick(path: string): void {
  const times = [path, `${path}-wal`].map(
    (each) => statSync(each, { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  const ageMs = Date.now() - Math.max(...times);
  if (ageMs < 0 || ageMs >= CLOCK_TICK_MS) return;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, CLOCK_TICK_MS - ageMs);
}
