import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Keeps this process, and every process it starts from here on, on the last core it may use, and gives the number of that core. `undefined`, with
 * nothing changed, where `taskset` is not to be had.
 *
 * A message to a process on another core costs the sender two to three times the CPU time of one to its own core, so figures of processes that the
 * scheduler moves about cannot be compared.
 */
export function shareOneCore(): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const core = /^Cpus_allowed_list:.*?(\d+)$/mu.exec(
    readFileSync('/proc/self/status', 'latin1'),
  )?.[1];
  if (core === undefined) return undefined;
  const { status } = spawnSync('taskset', ['-acp', core, String(process.pid)], { stdio: 'ignore' });
  return status === 0 ? Number(core) : undefined;
}
