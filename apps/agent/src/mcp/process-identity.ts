import { readFileSync, readlinkSync } from 'node:fs';

/**
 * Returns a name of this process that no later process has: its pid namespace, pid and start time.
 * Undefined without `/proc`.
 * @see https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
 */
export function processIdentity(): string | undefined {
  const [namespace, startTime] = [pidNamespace(), startTimeOf(process.pid)];
  if (namespace === undefined || startTime === undefined) return undefined;
  return `${namespace}-${process.pid}-${startTime}`;
}

/** Whether the process with the identity has certainly ended. False for another pid namespace. */
export function hasEnded(identity: string): boolean {
  const [, namespace, pid, startTime] = /^(\d+)-(\d+)-(\d+)$/.exec(identity) ?? [];
  if (namespace === undefined || namespace !== pidNamespace()) return false;
  return startTimeOf(Number(pid)) !== startTime;
}

function pidNamespace(): string | undefined {
  return read(() => /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0]);
}

/** Returns the start time in clock ticks since the start of the system; undefined when no such process runs. */
function startTimeOf(pid: number): string | undefined {
  const stat = read(() => readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? '';
  // The second field, a name in parentheses, may contain spaces and parentheses.
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return state === 'Z' ? undefined : fields[18];
}

function read<T>(reading: () => T): T | undefined {
  try {
    return reading();
  } catch {
    return undefined;
  }
}
