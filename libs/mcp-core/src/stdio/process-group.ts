import type { promises } from 'node:fs';

/** Whether a child started with `detached` leads a group that can be signalled as one. */
export const HAS_PROCESS_GROUPS = process.platform !== 'win32';

/**
 * Signals every process of the group led by `leaderPid`, whether or not the leader still lives; a group that is gone is not an error.
 * A process that moved itself to another group or session is out of reach. On Windows every signal ends the leader's process tree.
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
    // ESRCH: the group is empty; EPERM: what is left of it is not ours to signal.
  }
}

/** Whether a process of the group still runs. Processes that ended and wait to be reaped do not count. */
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

/** Signal 0 also reaches zombies, and where process 1 does not reap (many containers) orphans stay zombies for ever. */
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

/** Loaded by the first use: servers import this file and look after no group. */
function filesystem(): typeof promises {
  return process.getBuiltinModule('node:fs').promises;
}
