import { EngineError, type Check, type OnCommit } from '../../ports/run-engine.ts';
import type { Thread, ThreadDetails } from '../../ports/store/thread.ts';
import type { Uses } from '../core/engine-parts.ts';
import { deleteErasedRows } from './delete-rows.ts';

/** Stores a new thread. */
export function createThread(
  { store, clock, newId }: Uses<'store' | 'clock' | 'newId'>,
  details: ThreadDetails,
  onCommit?: OnCommit<Thread>,
): Promise<Thread> {
  return store.write({}, async (sql) => {
    const now = clock.now();
    const thread: Thread = { id: newId(), ...details, createdAt: now, updatedAt: now };
    await sql.insertThread(thread);
    await onCommit?.(sql, thread);
    return thread;
  });
}

/** Changes the title and metadata of a thread. `change` gets the thread inside the transaction. */
export function updateThread(
  { store, clock }: Uses<'store' | 'clock'>,
  id: string,
  change: (thread: Thread) => Partial<ThreadDetails>,
): Promise<Thread> {
  return store.write({ thread: id }, async (sql) => {
    const thread = await sql.thread(id);
    if (thread === undefined)
      throw new EngineError('thread_not_found', `There is no thread ${id}.`);
    const patch = { ...change(thread), updatedAt: clock.now() };
    await sql.updateThread(id, patch);
    return { ...thread, ...patch };
  });
}

/** Deletes a thread and its runs, all of which must be settled. */
export async function deleteThread(
  parts: Uses<'store'>,
  id: string,
  check?: Check<Thread>,
): Promise<void> {
  await parts.store.write({ thread: id }, async (sql) => {
    const [busy] = await sql.unsettledRuns({ threadId: id });
    if (busy !== undefined)
      throw new EngineError(
        'thread_busy',
        `The run ${busy.id} of the thread is not settled: it is ${busy.status}. Cancel it first, or wait until it is settled.`,
      );
    if (check !== undefined) {
      const thread = await sql.thread(id);
      if (thread !== undefined) check(thread);
    }
    if (!(await sql.deleteThread(id)))
      throw new EngineError('thread_not_found', `There is no thread ${id}.`);
  });
  await deleteErasedRows(parts);
}
