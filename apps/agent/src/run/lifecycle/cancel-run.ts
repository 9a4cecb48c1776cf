import { EngineError, type OnCommit } from '../../ports/run-engine.ts';
import { isSettled, type Run } from '../../ports/store/run.ts';
import type { Uses } from '../core/engine-parts.ts';
import { runOnCommit } from '../core/on-commit.ts';
import { stopRun } from './stop-run.ts';

export interface Cancellation {
  readonly reason: string | undefined;
  readonly onCommit?: OnCommit<Run> | undefined;
}

/**
 * Cancels a run on request. A run that is settled or being stopped is returned unchanged.
 * @throws EngineError `run_not_found`
 */
export async function cancelRun(
  context: Uses<'store' | 'bus' | 'clock' | 'commit'>,
  id: string,
  cancellation: Cancellation,
): Promise<Run> {
  const cancelled = await cancelRunIfPresent(context, id, cancellation);
  if (cancelled === undefined) throw new EngineError('run_not_found', `There is no run ${id}.`);
  return (await context.store.read.run(id)) ?? cancelled;
}

/** Cancels a run as `cancelRun` does. Returns undefined when the run does not exist. */
export function cancelRunIfPresent(
  context: Uses<'bus' | 'clock' | 'commit'>,
  id: string,
  { reason, onCommit }: Cancellation,
): Promise<Run | undefined> {
  return context.commit(
    id,
    async (change) => {
      const run = await change.sql.run(id);
      if (run !== undefined && !isSettled(run) && run.status !== 'cancelling')
        await stopRun(context, change, { run, reason });
      if (run === undefined) return undefined;
      runOnCommit(change, onCommit, async () => (await change.sql.run(id)) ?? run);
      return change.sql.run(id);
    },
    'cancel-run',
  );
}
