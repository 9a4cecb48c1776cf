import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const sampleMs = 10;

/**
 * Starts to measure; the result returns the milliseconds since then, without those for which a thread of the process, or the calling
 * process, was ready to run while the machine did other work. Call the result once.
 */
export function startStopwatch({ pid }: Pick<ChildProcess, 'pid'>): () => number {
  const read = () => ({
    at: performance.now(),
    waited: waitedMs(String(pid)),
    ownWaited: waitedMs('self'),
  });
  let last = read();
  let elapsed = 0;
  const sample = () => {
    const now = read();
    // The waits of a thread that has ended are no longer in the sum.
    const waited = Math.max(0, now.waited - last.waited) + now.ownWaited - last.ownWaited;
    elapsed += Math.max(0, now.at - last.at - waited);
    last = now;
  };
  const sampling = setInterval(sample, sampleMs);
  return () => {
    clearInterval(sampling);
    sample();
    return elapsed;
  };
}

/** Returns the time that the threads of a process have waited for a processor; 0 where the system does not report it. */
function waitedMs(pid: string): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const waits = threads.map((thread) =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ')[1]),
    );
    return waits.reduce((sum, wait) => sum + wait, 0) / 1e6;
  } catch {
    return 0;
  }
}
