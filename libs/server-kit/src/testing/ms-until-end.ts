import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { startStopwatch } from './stopwatch.ts';

/**
 * Returns the milliseconds from now until the process has ended and its output was closed, without the time for which it or the calling
 * process waited for a processor.
 */
export async function msUntilEnd(child: ChildProcess): Promise<number> {
  const elapsedMs = startStopwatch(child);
  await once(child, 'close');
  return elapsedMs();
}
