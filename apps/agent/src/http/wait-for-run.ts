import type { FastifyRequest } from 'fastify';
import { isSettled, type Run, type RunReader } from '../ports/run-store.ts';
import type { SignalBus } from '../ports/signal-bus.ts';
import type { Clock } from '../ports/test-hooks.ts';

const LONGEST_WAIT_S = 60;

/** The milliseconds that a client prefers to wait for the end, at most a minute; undefined when it says nothing of it. @see https://www.rfc-editor.org/rfc/rfc7240#section-4.3 */
export function preferredWaitMs(request: FastifyRequest): number | undefined {
  const preferences = [request.headers['prefer'] ?? []].flat().join(',').split(/[,;]/);
  const seconds = preferences.map((preference) => /^\s*wait\s*=\s*"?(\d{1,6})"?\s*$/i.exec(preference)?.[1]).find((found) => found !== undefined);
  return seconds === undefined ? undefined : Math.min(Number(seconds), LONGEST_WAIT_S) * 1000;
}

export interface Wait {
  readonly runId: string;
  readonly waitMs: number;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

/** Resolves with the run when it is settled, and with undefined when that takes longer, or the signal aborts. */
export async function settledRun({ read, bus, clock }: { readonly read: RunReader; readonly bus: SignalBus; readonly clock: Clock }, { runId, waitMs, signal }: Wait): Promise<Run | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<Run | undefined>();
  const look = async (): Promise<void> => {
    const run = await read.run(runId);
    if (run === undefined || isSettled(run)) resolve(run);
  };
  const giveUp = (): void => resolve(undefined);
  const unsubscribe = bus.subscribe((heard) => {
    if (heard.type === 'events' && heard.runId === runId) look().catch(reject);
  });
  const cancelTimer = clock.after(waitMs, giveUp);
  signal.addEventListener('abort', giveUp);
  if (signal.aborted) giveUp();
  look().catch(reject);
  try {
    return await promise;
  } finally {
    unsubscribe();
    cancelTimer();
    signal.removeEventListener('abort', giveUp);
  }
}
