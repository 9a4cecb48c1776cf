import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';

const sampleMs = 10;

/**
 * Returns the milliseconds from now until the process has ended and its output was closed. Excludes the time for which a thread of the
 * process, or the calling process, was ready to run while the machine did other work.
 */
export async function msUntilEnd(child: ChildProcess): Promise<number> {
  const ended = child.stdout?.closed === true ? Promise.resolve() : once(child, 'close');
  let last = measureNow(child.pid);
  let elapsed = 0;
  const measure = () => {
    const now = measureNow(child.pid);
    // A process that has ended waits no more.
    const waited = Math.max(0, now.waited - last.waited) + now.ownWaited - last.ownWaited;
    elapsed += Math.max(0, now.at - last.at - waited);
    last = { ...now, waited: Math.max(now.waited, last.waited) };
  };
  const sampling = setInterval(measure, sampleMs);
  await ended;
  clearInterval(sampling);
  measure();
  return elapsed;
}

function measureNow(pid: number | undefined) {
  return { at: performance.now(), waited: waitedMs(`${pid}`), ownWaited: waitedMs('self') };
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
