import type { Store } from '../store.ts';
import { plannedCall } from './planned-call.ts';
import { queuedRun } from './queued-run.ts';

/**
 * Sends planned calls of one server with two stores, all at once, as far as the rate allows. Returns
 * the number of calls that were sent. `beforeSend` is awaited between a check that passed and its send.
 */
export async function sendRatedCalls(
  [first, second]: readonly [Store, Store],
  {
    calls,
    limit,
    beforeSend = () => Promise.resolve(),
  }: {
    readonly calls: number;
    readonly limit: number;
    readonly beforeSend?: () => Promise<void>;
  },
): Promise<number> {
  await first.write({ run: 'rated' }, async (sql) => {
    await sql.insertRun(queuedRun('rated', { status: 'running' }));
    for (let index = 0; index < calls; index += 1)
      await sql.insertToolCall({ ...plannedCall(`c${index}`), runId: 'rated', position: index });
  });
  const sent = await Promise.all(
    Array.from({ length: calls }, (_, index) =>
      (index % 2 === 0 ? first : second).write({}, async (sql) => {
        const call = { server: 'files', callId: `c${index}`, attempt: 0 };
        await sql.lockCallRate(call.server);
        await sql.joinCallLine(call, 1);
        const ahead = await sql.callsAhead(call, limit);
        if (ahead >= limit) return false;
        const nth = limit - ahead;
        if ((await sql.nthLatestCall(call.server, { nth, since: 0 })) !== undefined) return false;
        await beforeSend();
        await sql.leaveCallLine(call, { sentAt: 2, forgetUntil: 0 });
        await sql.updateToolCall(call.callId, { state: ['planned'] }, { state: 'dispatched' });
        return true;
      }),
    ),
  );
  return sent.filter(Boolean).length;
}
