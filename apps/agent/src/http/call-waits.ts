import type { CallRateReader } from '../ports/store/call-rate.ts';
import type { CallWaiting, ToolCatalogue } from '../ports/tool-catalogue.ts';

/** Reasons why calls wait, by the ids of the calls. `since`: milliseconds since the Unix epoch. */
export type CallWaits = ReadonlyMap<string, CallWaiting & { readonly since: number }>;

/**
 * Returns the calls of a run that wait. The waits for a rate limit are those of all processes, the
 * waits for a connection those that the catalogue of this process has.
 */
export async function callWaits(
  {
    catalogue,
    read,
  }: {
    readonly catalogue: Pick<ToolCatalogue, 'servers'>;
    readonly read: Pick<CallRateReader, 'callsInLine'>;
  },
  runId: string,
): Promise<CallWaits> {
  const [servers, inLine] = await Promise.all([catalogue.servers(), read.callsInLine(runId)]);
  const waits = new Map<string, CallWaiting & { readonly since: number }>();
  for (const { callId, ...wait } of servers.flatMap(({ waiting }) => waiting))
    if (callId !== undefined && wait.runId === runId) waits.set(callId, wait);
  for (const { callId, server, since, dueAt } of inLine)
    waits.set(callId, {
      reason: 'rate_limited',
      message: `The server ${server} has reached its limit of calls a minute (callsPerMinute); the call waits for its turn, which is expected at ${new Date(dueAt).toISOString()}.`,
      since,
    });
  return waits;
}
