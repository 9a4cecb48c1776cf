import { EngineError } from '../ports/run-engine.ts';
import { isSettled, type Run } from '../ports/run-store.ts';
import type { EngineContext } from './engine-context.ts';
import { stopRun } from './stop-run.ts';

/** Stops a run on request. A run that is settled, or being stopped, is returned as it is. */
export async function cancelRun(context: EngineContext, id: string, reason: string | undefined): Promise<Run> {
  const cancelled = await context.commit(id, async (change) => {
    const run = await change.sql.run(id);
    if (run !== undefined && !isSettled(run) && run.status !== 'cancelling') await stopRun(context, change, { run, reason });
    return run === undefined ? undefined : change.sql.run(id);
  }, 'cancel-run');
  if (cancelled === undefined) throw new EngineError('run_not_found', `There is no run ${id}.`);
  return (await context.store.read.run(id)) ?? cancelled;
}
