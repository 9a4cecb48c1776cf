import { RATE_WINDOW_MS } from '../../ports/api-key.ts';
import { EngineError, RateExceededError } from '../../ports/run-engine.ts';
import type { Run } from '../../ports/store/run.ts';
import type { StoreTransaction } from '../../ports/store.ts';
import type { Change } from '../core/commits.ts';
import type { Uses } from '../core/engine-parts.ts';

/** Default limit of runs that wait for their first step, and of single tool calls in progress. */
export const DEFAULT_MAX_QUEUED_RUNS = 1000;

/**
 * Rejects a new run while too many wait for their first step, a new single call while too many are in
 * progress, and both while the rate of their API key is used up. Belongs in the transaction that
 * stores the run.
 * @throws EngineError `too_many_runs`, `run_rate_exceeded`
 */
export async function admit(
  context: Uses<'maxQueuedRuns' | 'keyLimits' | 'clock'>,
  { sql }: Change,
  { kind, apiKey }: Pick<Run, 'kind' | 'apiKey'>,
): Promise<void> {
  const { maxQueuedRuns } = context;
  await checkRate(context, sql, apiKey);
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

async function checkRate(
  { keyLimits, clock }: Uses<'keyLimits' | 'clock'>,
  sql: StoreTransaction,
  apiKey: string,
): Promise<void> {
  const { runsPerMinute } = keyLimits(apiKey);
  if (runsPerMinute === undefined) return;
  await sql.lockApiKey(apiKey);
  const now = clock.now();
  const since = now - RATE_WINDOW_MS;
  const createdAt = await sql.createdAtOfLatest(apiKey, { nth: runsPerMinute, since });
  if (createdAt === undefined) return;
  throw new RateExceededError(
    `The API key ${apiKey} started ${runsPerMinute} runs within a minute, as many as runs_per_minute of the configuration allows. Nothing was stored; send the request again after the time in Retry-After.`,
    // A clock that was set back must not make clients wait for longer.
    Math.min(createdAt - since, RATE_WINDOW_MS),
  );
}
