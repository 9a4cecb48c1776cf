import type { RunCore } from '../../ports/store/progress.ts';
import type { StoreReader } from '../../ports/store.ts';
import type { Change } from '../core/commits.ts';
import type { Uses } from '../core/engine-parts.ts';

/** Whether a queued run may begin: the runs before it in its thread are settled. */
export async function isNextInThread(
  read: StoreReader,
  { threadId, threadPosition = 0 }: Pick<RunCore, 'threadId' | 'threadPosition'>,
): Promise<boolean> {
  if (threadId === undefined) return true;
  const unsettled = await read.unsettledRuns({ threadId });
  return !unsettled.some((run) => (run.threadPosition ?? 0) < threadPosition);
}

/** Asks for a slot in which a queued run can begin. */
export function enqueueStart(
  { enqueue }: Uses<'enqueue'>,
  { id, priority }: Pick<RunCore, 'id' | 'priority'>,
): void {
  enqueue({ type: 'start-run', runId: id }, { priority });
}

/** Enqueues the next run of the thread after one of its runs is settled. */
export async function wakeThread(
  context: Uses<'enqueue'>,
  { sql, afterCommit }: Change,
  { threadId }: Pick<RunCore, 'threadId'>,
): Promise<void> {
  if (threadId === undefined) return;
  const [next] = (await sql.unsettledRuns({ threadId })).toSorted(
    (left, right) => (left.threadPosition ?? 0) - (right.threadPosition ?? 0),
  );
  if (next !== undefined) afterCommit(() => enqueueStart(context, next));
}
