import { SENT_CALL_STATES } from '../../ports/store/tool-call.ts';
import type { OpenCall } from '../../ports/store/progress.ts';
import type { StoreReader } from '../../ports/store.ts';
import type { Change } from '../core/commits.ts';
import type { Uses } from '../core/engine-parts.ts';
import { loseCall } from '../ledger/call-states.ts';

/** Reason for the unknown outcome of a call whose process ended. */
export const PROCESS_ENDED = 'The service ended while the call was under way.';

/**
 * Ends the sent calls of a settled run that no living worker owns, with an unknown outcome. Opens
 * no inbox item, because the run does not wait for a decision.
 */
export async function loseOrphanedCalls(context: Uses<'clock'>, change: Change): Promise<void> {
  for (const call of await orphanedCalls(change))
    await loseCall(context, change, { call, message: PROCESS_ENDED });
}

async function orphanedCalls(change: Change): Promise<readonly OpenCall[]> {
  const orphaned: OpenCall[] = [];
  for (const call of await sentCalls(change))
    if (!(await isAwaited(change.sql, call))) orphaned.push(call);
  return orphaned;
}

/** Returns a sent call of the run that a worker still waits for. */
export async function awaitedCall(
  change: Pick<Change, 'sql' | 'runId'>,
): Promise<OpenCall | undefined> {
  for (const call of await sentCalls(change)) if (await isAwaited(change.sql, call)) return call;
  return undefined;
}

async function sentCalls({
  sql,
  runId,
}: Pick<Change, 'sql' | 'runId'>): Promise<readonly OpenCall[]> {
  const open = await sql.openCalls(runId);
  return open.filter(({ state }) => SENT_CALL_STATES.includes(state));
}

async function isAwaited(sql: StoreReader, { owner }: OpenCall): Promise<boolean> {
  return owner !== undefined && (await sql.hasLease(owner));
}
