import { EngineError, type Check } from '../../ports/run-engine.ts';
import { isSettled, type RunCore } from '../../ports/store/run.ts';
import type { Uses } from '../core/engine-parts.ts';
import { deleteErasedRows } from './delete-rows.ts';

/**
 * Deletes a settled run with everything but its audit entries: hides it at once, and then deletes its
 * rows in small transactions.
 */
export async function deleteRun(
  parts: Uses<'store'>,
  id: string,
  check: Check<RunCore> = () => undefined,
): Promise<void> {
  await parts.store.write({ run: id }, async (sql) => {
    const run = await sql.runCore(id);
    if (run === undefined) throw new EngineError('run_not_found', `There is no run ${id}.`);
    if (!isSettled(run))
      throw new EngineError(
        'run_not_settled',
        `The run ${id} is not settled: it is ${run.status}. Cancel it first, or wait until it is settled.`,
      );
    check(run);
    await sql.eraseRun(id);
  });
  await deleteErasedRows(parts);
}
