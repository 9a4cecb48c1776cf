import { writeSync } from 'node:fs';
import { MEMORY_LIMIT_NOTICE } from './messages.ts';

export interface WatchdogOptions {
  /** A single Int32: 0 while the process waits for the server, else the number of the current step. */
  readonly activity: SharedArrayBuffer;
  readonly parentPid: number;
  readonly maxMemoryMb: number;
  /**
   * Milliseconds after which a step ends the process; reached only when the parent does not
   * enforce its deadline.
   */
  readonly maxBusyMs: number;
}

const POLL_MS = 20;
const STDERR = 2;

/**
 * Kills its own process when, during a step, the parent has ended, the memory limit is exceeded,
 * or the step exceeds every deadline. Runs in its own thread, because the main thread is blocked
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
    const step = Atomics.load(current, 0);
    if (step !== watched) {
      watched = step;
      sinceMs = performance.now();
    }
    if (process.memoryUsage.rss() > maxMemoryMb * 2 ** 20) {
      writeSync(STDERR, `${MEMORY_LIMIT_NOTICE}\n`);
      endProcess();
    }
    if (process.ppid !== parentPid || performance.now() - sinceMs > maxBusyMs) endProcess();
    Atomics.wait(current, 0, step, POLL_MS);
  }
}

function endProcess(): void {
  process.kill(process.pid, 'SIGKILL');
}
