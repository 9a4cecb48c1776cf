import { EngineError } from '../../ports/run-engine.ts';
import { isSettled } from '../../ports/store/run.ts';
import type { Uses } from '../core/engine-parts.ts';

/** Deletes a settled run with everything but its audit entries. */
export async function deleteRun({ store }: Uses<'store'>, id: string): Promise<void> {
  await store.write({ run: id }, async (sql) => {
    const run = await sql.run(id);
    if (run === undefined) throw new EngineError('run_not_found', `There is no run ${id}.`);
    if (!isSettled(run))
      throw new EngineError(
        'run_not_settled',
        `The run ${id} is not settled: it is ${run.status}. Cancel it first, or wait until it is settled.`,
      );
    await sql.deleteRun(id);
  });
}
