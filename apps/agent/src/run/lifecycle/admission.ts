import { EngineError } from '../../ports/run-engine.ts';
import type { Run } from '../../ports/run-store.ts';
import type { Change } from '../core/commits.ts';
import type { Uses } from '../core/engine-parts.ts';

/** Runs that may wait for their first step, and single tool calls that may be under way, when nothing is configured. */
export const DEFAULT_MAX_QUEUED_RUNS = 1000;

/**
 * Refuses a new run while too many wait for their first step, and a new single call while too many are under way. Part of the transaction that stores it.
 * @throws EngineError `too_many_runs`
 */
export async function admit(
  { maxQueuedRuns }: Uses<'maxQueuedRuns'>,
  { sql }: Change,
  kind: Run['kind'],
): Promise<void> {
  const waiting = await sql.countRuns(
    kind === 'agent' ? { status: 'queued' } : { status: 'running', kind: 'call' },
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
