import { setImmediate as nextTurn } from 'node:timers/promises';
import { drive, type Driven } from './drive.ts';
import { perOperation, type Figures, type FiguresByTable } from './figures.ts';
import { CALLS_IN_FLIGHT, FLOOD_NOTIFICATIONS, type CallLoad } from './load.ts';

/** What is put under load: a server by the floor's client, or a client that calls the floor's server. Each operation rejects when its outcome is wrong. */
export interface Exercised {
  call(): Promise<void>;
  list(): Promise<void>;
  /** Calls `flood`; `onProgress` hears each notification that arrives. */
  flood(onProgress: () => void): Promise<void>;
  /** CPU time of the process under measurement so far, in microseconds. */
  cpuMicros(): number | Promise<number>;
}

/** Resolves with `sequential`, `concurrent`, `list` and `flood`, each where the load has some of it. */
export async function exercise(subject: Exercised, load: CallLoad): Promise<FiguresByTable> {
  const call = (): Promise<void> => subject.call();
  const list = (): Promise<void> => subject.list();
  const figures: Record<string, Figures> = {};
  const calls = (total: number, inFlight: number): Promise<Driven> =>
    drive({ total, inFlight, limitMs: load.limitMs }, call);
  const lists = (total: number): Promise<Driven> =>
    drive({ total, inFlight: 1, limitMs: load.limitMs }, list);
  await calls(load.warmUpCalls / 10, 1);
  await calls(load.warmUpCalls * 0.9, CALLS_IN_FLIGHT);
  if (load.sequentialCalls > 0)
    figures['sequential'] = await measure(subject, () => calls(load.sequentialCalls, 1));
  if (load.concurrentCalls > 0)
    figures['concurrent'] = await measure(subject, () =>
      calls(load.concurrentCalls, CALLS_IN_FLIGHT),
    );
  if (load.lists > 0) {
    await lists(load.lists / 2);
    figures['list'] = await measure(subject, () => lists(load.lists));
  }
  if (load.floods > 0) figures['flood'] = await measureFloods(subject, load.floods);
  return figures;
}

async function measureFloods(subject: Exercised, floods: number): Promise<Figures> {
  let heard = 0;
  const flood = (): Promise<void> => subject.flood(() => (heard += 1));
  await flood();
  await nextTurn();
  heard = 0;
  const sent = floods * FLOOD_NOTIFICATIONS;
  const figures = await measure(subject, async () => {
    const { elapsedMs } = await drive({ total: floods, inFlight: 1 }, flood);
    return { made: sent, elapsedMs };
  });
  // What is delivered right after the answer counts, too.
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
