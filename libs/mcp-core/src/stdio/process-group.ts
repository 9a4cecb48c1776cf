import type { promises } from 'node:fs';

/** Whether a child started with `detached` leads a group that can be signaled as a whole. */
export const HAS_PROCESS_GROUPS = process.platform !== 'win32';

/**
 * Signals every process of the group led by `leaderPid`, even if the leader has ended. A group that
 * has ended is not an error. A process that moved to another group or session is not signaled. On
 * Windows every signal ends the leader's process tree.
 */
export function signalGroup(leaderPid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (!HAS_PROCESS_GROUPS) {
    const { execFile } = process.getBuiltinModule('node:child_process');
    execFile(
      'taskkill',
      ['/pid', String(leaderPid), '/T', '/F'],
      { windowsHide: true },
      () => undefined,
    );
    return;
  }
  try {
    process.kill(-leaderPid, signal);
  } catch {
    // ESRCH: the group is empty; EPERM: its remaining processes belong to another user.
  }
}

/** Whether a process of the group still runs. Zombies do not count. */
export async function isGroupAlive(leaderPid: number): Promise<boolean> {
  if (!HAS_PROCESS_GROUPS) {
    return false;
  }
  try {
    process.kill(-leaderPid, 0);
  } catch {
    return false;
  }
  return process.platform === 'linux' ? hasRunningMember(leaderPid) : true;
}

/**
 * Whether the group has a running member. Signal 0 also reaches zombies, and where process 1 does
 * not reap orphans (many containers) they stay forever.
 */
async function hasRunningMember(groupId: number): Promise<boolean> {
  const pids = (await filesystem().readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const states = await Promise.all(pids.map((pid) => readState(pid)));
  return states.some(
    (state) => state?.groupId === groupId && state.code !== 'Z' && state.code !== 'X',
  );
}

async function readState(
  pid: string,
): Promise<{ readonly code: string; readonly groupId: number } | undefined> {
  // The process may end between the listing and the read.
  const stat = await filesystem()
    .readFile(`/proc/${pid}/stat`, 'utf8')
    .catch(() => '');
  // The command name, in parentheses, may itself contain blanks and parentheses. @see proc_pid_stat(5)
  const [code, , groupId] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return code === undefined || groupId === undefined
    ? undefined
    : { code, groupId: Number(groupId) };
}

/** Loads the module on first use: servers import this file and manage no group. */
function filesystem(): typeof promises {
  return process.getBuiltinModule('node:fs').promises;
}
