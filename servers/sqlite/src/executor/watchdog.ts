import { writeSync } from 'node:fs';
import { MEMORY_LIMIT_NOTICE, WHOLE_RESULT_NOTICE } from './messages.ts';

export interface WatchdogOptions {
  /** Three Int32: 0 while the process waits for the server, else the number of the current step; 1 while the watchdog sleeps; 1 while a whole result is read. */
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
const IDLE_MS = 1000;
const [STEP, ASLEEP, WHOLE_RESULT] = [0, 1, 2];
const STDERR = 2;

/**
 * Kills its own process when, during a step, the parent has ended, the memory limit is exceeded,
 * or the step exceeds every deadline. Runs in its own thread, because the main thread is blocked
 * in SQLite until the query ends. Looks every 20 ms, and sleeps when the process has been idle for a
 * second, so that a step seldom has to wake it; never returns.
 */
export function watchProcess({
  activity,
  parentPid,
  maxMemoryMb,
  maxBusyMs,
}: WatchdogOptions): never {
  const current = new Int32Array(activity);
  let watched = 0;
  let sinceMs = performance.now();
  for (;;) {
    const step = Atomics.load(current, STEP);
    if (step !== watched) {
      watched = step;
      sinceMs = performance.now();
    }
    if (step === 0) {
      const isIdle = performance.now() - sinceMs > IDLE_MS;
      if (isIdle) sleepUntilBusy(current);
      else Atomics.wait(current, ASLEEP, 0, POLL_MS);
      continue;
    }
    if (process.memoryUsage.rss() > maxMemoryMb * 2 ** 20) {
      const isWhole = Atomics.load(current, WHOLE_RESULT) === 1;
      writeSync(STDERR, `${isWhole ? WHOLE_RESULT_NOTICE : MEMORY_LIMIT_NOTICE}\n`);
      endProcess();
    }
    if (process.ppid !== parentPid || performance.now() - sinceMs > maxBusyMs) endProcess();
    Atomics.wait(current, STEP, step, POLL_MS);
  }
}

/** Tells the watchdog the number of the current step, 0 for none. */
export function setStep(activity: Int32Array, step: number): void {
  Atomics.store(activity, STEP, step);
  if (Atomics.load(activity, ASLEEP) === 1) Atomics.notify(activity, STEP);
}

/** Runs `read`, and tells the watchdog that a whole result is read. */
export function readingWhole<Rows>(activity: Int32Array, read: () => Rows): Rows {
  Atomics.store(activity, WHOLE_RESULT, 1);
  try {
    return read();
  } finally {
    Atomics.store(activity, WHOLE_RESULT, 0);
  }
}

/** Returns at once when a step has begun in between, because the value is then another. */
function sleepUntilBusy(activity: Int32Array): void {
  Atomics.store(activity, ASLEEP, 1);
  Atomics.wait(activity, STEP, 0);
  Atomics.store(activity, ASLEEP, 0);
}

function endProcess(): void {
  process.kill(process.pid, 'SIGKILL');
}
