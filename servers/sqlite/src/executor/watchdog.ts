import { writeSync } from 'node:fs';
import { MEMORY_LIMIT_NOTICE } from './protocol.ts';

export interface WatchdogOptions {
  /** One Int32: 0 while the process is idle, else the number of the request it works on. */
  readonly activity: SharedArrayBuffer;
  readonly parentPid: number;
  readonly maxMemoryMb: number;
  /** A single request that runs longer ends the process: only a parent that cannot act any more lets it. */
  readonly maxBusyMs: number;
}

const POLL_MS = 20;
const STDERR = 2;

/**
 * Kills its own process when, during a request, the parent is gone, the memory limit is passed or the request outlives every deadline. Runs on a
 * thread of its own because the main thread does not come back from SQLite before the query ends. Sleeps while the process is idle; never returns.
 */
export function watchProcess({
  activity,
  parentPid,
  maxMemoryMb,
  maxBusyMs,
}: WatchdogOptions): never {
  const current = new Int32Array(activity);
  let watched = 0;
  let sinceMs = 0;
  for (;;) {
    Atomics.wait(current, 0, 0);
    const request = Atomics.load(current, 0);
    if (request !== watched) {
      watched = request;
      sinceMs = performance.now();
    }
    if (process.memoryUsage.rss() > maxMemoryMb * 2 ** 20) {
      writeSync(STDERR, `${MEMORY_LIMIT_NOTICE}\n`);
      endProcess();
    }
    if (process.ppid !== parentPid || performance.now() - sinceMs > maxBusyMs) endProcess();
    Atomics.wait(current, 0, request, POLL_MS);
  }
}

function endProcess(): void {
  process.kill(process.pid, 'SIGKILL');
}
