import { spawnSync } from 'node:child_process';

/** Milliseconds in which an empty Node process starts and ends on a machine without other work. */
const QUIET_MS = 60;
const TRIES = 3;

/** Returns how many times slower than a quiet machine this one is now, at least 1, from the start of an empty process: the unit for limits in milliseconds. */
export function slowness(): number {
  const times = Array.from({ length: TRIES }, () => {
    const began = performance.now();
    spawnSync(process.execPath, ['-e', '']);
    return performance.now() - began;
  });
  const median = times.toSorted((left, right) => left - right)[Math.floor(TRIES / 2)] ?? QUIET_MS;
  return Math.max(1, median / QUIET_MS);
}
