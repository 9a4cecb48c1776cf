import { readFileSync } from 'node:fs';
import type { ChildProcess } from 'node:child_process';

interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
}

const SAMPLE_MS = 10;

/** Milliseconds from now until the process has ended, without those for which it was ready to run and the machine did other work. */
export async function msUntilEnd({ child, ended }: Running): Promise<number> {
  const from = performance.now();
  const before = waitedMs(child.pid);
  let waited = before;
  const sampling = setInterval(() => {
    waited = Math.max(waited, waitedMs(child.pid));
  }, SAMPLE_MS);
  await ended;
  clearInterval(sampling);
  return performance.now() - from - (waited - before);
}

/** The time that the main thread of a process has waited for a processor; 0 where the system does not tell. */
function waitedMs(pid: number | undefined): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}
