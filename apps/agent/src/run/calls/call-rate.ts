import type { ToolCall } from '../../ports/store/tool-call.ts';
import type { Change } from '../core/commits.ts';
import type { Uses } from '../core/engine-parts.ts';
import { moveCall } from '../ledger/call-states.ts';

const MINUTE_MS = 60_000;

/**
 * Counts a planned call that is about to be sent, and returns true, if its server's rate allows it.
 * Otherwise leaves it planned, enqueues it for the time at which its turn is expected, at most a
 * minute later, and returns false. Calls pass in order of arrival, over all processes: the next free
 * places in the rate belong to the calls before it.
 */
export async function passCallRate(
  { callsPerMinute, clock, enqueue }: Uses<'callsPerMinute' | 'clock' | 'enqueue'>,
  { sql, emit, afterCommit }: Pick<Change, 'sql' | 'emit' | 'afterCommit'>,
  call: ToolCall,
): Promise<boolean> {
  const { id, server, attempt } = call;
  const limit = callsPerMinute(server);
  if (limit === undefined) return true;
  await sql.lockCallRate(server);
  const now = clock.now();
  const since = now - MINUTE_MS;
  const rated = { server, callId: id, attempt };
  const isNew = await sql.joinCallLine(rated, now);
  const ahead = await sql.callsAhead(rated, limit);
  const inTheWay =
    ahead < limit ? await sql.nthLatestCall(server, { nth: limit - ahead, since }) : now;
  if (inTheWay === undefined) {
    await sql.leaveCallLine(rated, { sentAt: now, forgetUntil: since });
    return true;
  }
  // A clock that was set back does not extend the wait.
  const delayMs = Math.min(MINUTE_MS, inTheWay + MINUTE_MS - now);
  await moveCall(sql, call, { transition: 'postpone', dueAt: now + delayMs });
  if (isNew) {
    const message = `The server ${server} receives at most ${limit} calls a minute (callsPerMinute); the call waits for its turn.`;
    emit({
      type: 'tool_call.waiting',
      data: { call_id: id, attempt: attempt + 1, reason: 'rate_limited', message },
    });
  }
  afterCommit(() => enqueue({ type: 'call-tool', callId: id }, { delayMs }));
  return false;
}
