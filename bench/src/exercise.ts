import { setImmediate as nextTurn } from 'node:timers/promises';
import { drive, type Driven } from './drive.ts';
import { perOperation, type Figures, type FiguresByTable } from './figures.ts';
import { CALLS_IN_FLIGHT, FLOOD_NOTIFICATIONS, type CallLoad, type CallPhase } from './load.ts';

/** A server that the floor's client calls, or a client that calls the floor's server. Each operation rejects if its outcome is wrong. */
export interface Exercised {
  call(): Promise<void>;
  list(): Promise<void>;
  /** Calls `flood` for so many notifications; calls `onProgress` for each that arrives. */
  flood(notifications: number, onProgress: () => void): Promise<void>;
  /** CPU time of the process under measurement so far, in microseconds. */
  cpuMicros(): number | Promise<number>;
}

/** Resolves with the phases of calls (`sequential`, `sixteen`, `concurrent`), `list` and `flood`, each if the load contains it. */
export async function exercise(subject: Exercised, load: CallLoad): Promise<FiguresByTable> {
  const call = (): Promise<void> => subject.call();
  const list = (): Promise<void> => subject.list();
  const figures: Record<string, Figures> = {};
  const lists = (total: number): Promise<Driven> =>
    drive({ total, inFlight: 1, limitMs: load.limitMs }, list);
  await drive({ total: load.warmUpCalls / 10, inFlight: 1 }, call);
  await drive({ total: load.warmUpCalls * 0.9, inFlight: CALLS_IN_FLIGHT.concurrent }, call);
  for (const [phase, inFlight] of Object.entries(CALLS_IN_FLIGHT)) {
    const total = load.calls[phase as CallPhase];
    if (total === undefined) continue;
    figures[phase] = await measure(subject, () =>
      drive({ total, inFlight, limitMs: load.limitMs }, call),
    );
  }
  if (load.lists > 0) {
    await lists(load.lists / 2);
    figures['list'] = await measure(subject, () => lists(load.lists));
  }
  if (load.floods > 0) figures['flood'] = await measureFloods(subject, load);
  return figures;
}

async function measureFloods(
  subject: Exercised,
  { floods, notifications = FLOOD_NOTIFICATIONS }: CallLoad,
): Promise<Figures> {
  let heard = 0;
  const flood = (): Promise<void> => subject.flood(notifications, () => (heard += 1));
  await flood();
  await nextTurn();
  heard = 0;
  const sent = floods * notifications;
  const figures = await measure(subject, async () => {
    const { elapsedMs } = await drive({ total: floods, inFlight: 1 }, flood);
    return { made: sent, elapsedMs };
  });
  // Notifications delivered right after the answer count, too.
  await nextTurn();
  return { ...figures, lostPerCall: (sent - heard) / floods };
}

async function measure(subject: Exercised, work: () => Promise<Driven>): Promise<Figures> {
  const before = await subject.cpuMicros();
  const { made, elapsedMs } = await work();
  return perOperation({
    elapsedMs,
    cpuMicros: (await subject.cpuMicros()) - before,
    operations: made,
  });
}
