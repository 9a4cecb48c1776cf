import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** The environment variable by which a server process, and everything that it starts, is known wherever it moves. */
export const MARK_VARIABLE = 'SIGNALBOX_SERVER_ID';

const POLL_MS = 20;
/** How long the kernel may take to end killed processes. */
const KILL_WAIT_MS = 2000;

/**
 * Ends the processes whose mark is wanted: SIGTERM, and SIGKILL `graceMs` later. A process that took the mark out of its environment is not found, and none is where there is no `/proc`. Resolves with how many were found.
 * @see https://man7.org/linux/man-pages/man5/proc_pid_environ.5.html
 */
export async function endMarked(
  isWanted: (mark: string) => boolean,
  graceMs: number,
): Promise<number> {
  const found = await markedProcesses(isWanted);
  if (found.length === 0) return 0;
  for (const pid of found) signal(pid, 'SIGTERM');
  const deadline = performance.now() + graceMs;
  for (;;) {
    await delay(POLL_MS);
    const left = await markedProcesses(isWanted);
    if (left.length === 0) return found.length;
    if (performance.now() >= deadline) for (const pid of left) signal(pid, 'SIGKILL');
    // What cannot be killed belongs to another user, or waits for a disk.
    if (performance.now() >= deadline + KILL_WAIT_MS) return found.length;
  }
}

/** Ids of the running processes whose mark is wanted. */
export async function markedProcesses(
  isWanted: (mark: string) => boolean,
): Promise<readonly number[]> {
  if (process.platform !== 'linux') return [];
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    pids.map(async (pid) => (pid !== process.pid && (await isMarked(pid, isWanted)) ? [pid] : [])),
  );
  return found.flat();
}

async function isMarked(pid: number, isWanted: (mark: string) => boolean): Promise<boolean> {
  // It may end between the listing and the read, or belong to another user. One that ended and waits to be reaped has no environment.
  const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
  return environment
    .split('\0')
    .some(
      (variable) =>
        variable.startsWith(`${MARK_VARIABLE}=`) &&
        isWanted(variable.slice(MARK_VARIABLE.length + 1)),
    );
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile.
  }
}
