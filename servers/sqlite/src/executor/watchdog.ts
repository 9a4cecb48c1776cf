import { writeSync } from 'node:fs';
import { MEMORY_LIMIT_NOTICE } from './protocol.ts';

export interface WatchdogOptions {
  /** A single Int32: 0 while the process is idle, else the number of the current request. */
  readonly activity: SharedArrayBuffer;
  readonly parentPid: number;
  readonly maxMemoryMb: number;
  /**
   * Milliseconds after which a request ends the process; reached only when the parent does not
   * enforce its deadline.
   */
  readonly maxBusyMs: number;
}

const POLL_MS = 20;
const STDERR = 2;

/**
 * Kills its own process when, during a request, the parent has ended, the memory limit is exceeded,
 * or the request exceeds every deadline. Runs in its own thread, because the main thread is blocked
 * in SQLite until the query ends. Sleeps while the process is idle; never returns.
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
