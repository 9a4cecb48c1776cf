import { EngineError } from '../../ports/run-engine.ts';
import type { Run } from '../../ports/store/run.ts';
import type { Change } from '../core/commits.ts';
import type { Uses } from '../core/engine-parts.ts';

/** Default limit of runs that wait for their first step, and of single tool calls in progress. */
export const DEFAULT_MAX_QUEUED_RUNS = 1000;

/**
 * Rejects a new run while too many wait for their first step, and a new single call while too many
 * are in progress. Belongs in the transaction that stores the run.
 * @throws EngineError `too_many_runs`
 */
export async function admit(
  { maxQueuedRuns }: Uses<'maxQueuedRuns'>,
  { sql }: Change,
  kind: Run['kind'],
): Promise<void> {
  const waiting = await sql.countRunsToAdmit(
    kind === 'agent' ? { status: 'queued' } : { status: 'running', kind: 'call' },
    maxQueuedRuns,
  );
  if (waiting < maxQueuedRuns) return;
  const what =
    kind === 'agent'
      ? `${waiting} runs wait for their first step`
      : `${waiting} single tool calls are under way`;
  throw new EngineError(
    'too_many_runs',
    `${what}, and max_queued_runs of the configuration allows ${maxQueuedRuns}. Nothing was stored; send the request again later.`,
  );
}
