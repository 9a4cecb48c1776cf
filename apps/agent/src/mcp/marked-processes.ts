import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** Environment variable that marks a server process and its descendants. */
export const MARK_VARIABLE = 'SIGNALBOX_SERVER_ID';

const POLL_MS = 20;
/** Milliseconds the kernel may take to end killed processes. */
const KILL_WAIT_MS = 2000;

/**
 * Ends the marked processes with SIGTERM, and SIGKILL `graceMs` later. Resolves with their number.
 * Finds no process that removed the mark from its environment, and none without `/proc`.
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
    // A process that cannot be killed belongs to another user, or waits for a disk.
    if (performance.now() >= deadline + KILL_WAIT_MS) return found.length;
  }
}

/** Returns the ids of running processes with a wanted mark. */
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
  // The process may have ended since the listing, or belong to another user. A zombie has no environment.
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
    // The process has ended.
  }
}
