import { SENT_CALL_STATES } from '../../ports/store/tool-call.ts';
import type { OpenCall } from '../../ports/store/progress.ts';
import type { StoreReader } from '../../ports/store.ts';
import type { Change } from '../core/commits.ts';
import type { Uses } from '../core/engine-parts.ts';
import { loseCall } from '../ledger/call-states.ts';

/** Reason for the unknown outcome of a call whose process ended. */
export const PROCESS_ENDED = 'The service ended while the call was under way.';

/** Reason for the unknown outcome of a call whose process still runs, but does not wait for it. */
export const RESULT_LOST = 'The service did not store how the call ended.';

/**
 * Ends, with an unknown outcome, the sent calls of a settled run that nobody waits for. Opens no inbox
 * item, because the run does not wait for a decision. `isLeft` tells whether this worker has stopped
 * waiting for a call. For calls of others it returns undefined, and the lease of their worker decides.
 */
export async function loseOrphanedCalls(
  context: Uses<'clock'>,
  change: Change,
  isLeft: (call: OpenCall) => boolean | undefined = () => undefined,
): Promise<void> {
  for (const call of await sentCalls(change)) {
    const isLeftHere = isLeft(call);
    if (isLeftHere ?? !(await isAwaited(change.sql, call)))
      await loseCall(context, change, {
        call,
        message: isLeftHere === true ? RESULT_LOST : PROCESS_ENDED,
      });
  }
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
