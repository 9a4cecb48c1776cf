import { EngineError } from '../../ports/run-engine.ts';
import { isSettled } from '../../ports/run-store.ts';
import type { Uses } from '../core/engine-parts.ts';

/** Deletes a settled run with everything but its audit entries. */
export async function deleteRun({ store }: Uses<'store'>, id: string): Promise<void> {
  await store.write(async (sql) => {
    const run = await sql.run(id);
    if (run === undefined) throw new EngineError('run_not_found', `There is no run ${id}.`);
    if (!isSettled(run))
      throw new EngineError(
        'run_not_settled',
        `The run ${id} is not settled: it is ${run.status}. Cancel it first, or wait for its end.`,
      );
    await sql.deleteRun(id);
  });
}

/** Deletes a thread and its runs, all of which must be settled. */
export async function deleteThread({ store }: Uses<'store'>, id: string): Promise<void> {
  await store.write(async (sql) => {
    const [busy] = await sql.unsettledRuns({ threadId: id });
    if (busy !== undefined)
      throw new EngineError(
        'thread_busy',
        `The run ${busy.id} of the thread is not settled: it is ${busy.status}. Cancel it first, or wait for its end.`,
      );
    if (!(await sql.deleteThread(id)))
      throw new EngineError('thread_not_found', `There is no thread ${id}.`);
  });
}
