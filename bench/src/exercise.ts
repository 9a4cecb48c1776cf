import { setImmediate as nextTurn } from 'node:timers/promises';
import { drive } from './drive.ts';
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
  await drive(load.warmUpCalls / 10, 1, call);
  await drive(load.warmUpCalls * 0.9, CALLS_IN_FLIGHT, call);
  if (load.sequentialCalls > 0) figures['sequential'] = await measure(subject, load.sequentialCalls, () => drive(load.sequentialCalls, 1, call));
  if (load.concurrentCalls > 0) figures['concurrent'] = await measure(subject, load.concurrentCalls, () => drive(load.concurrentCalls, CALLS_IN_FLIGHT, call));
  if (load.lists > 0) {
    await drive(load.lists / 2, 1, list);
    figures['list'] = await measure(subject, load.lists, () => drive(load.lists, 1, list));
  }
  if (load.floods > 0) figures['flood'] = await measureFloods(subject, load.floods);
  return figures;
}

async function measureFloods(subject: Exercised, floods: number): Promise<Figures> {
  let heard = 0;
  const flood = (): Promise<void> => subject.flood(() => (heard += 1));
  await drive(1, 1, flood);
  await nextTurn();
  heard = 0;
  const sent = floods * FLOOD_NOTIFICATIONS;
  const figures = await measure(subject, sent, () => drive(floods, 1, flood));
  // What is delivered right after the answer counts, too.
  await nextTurn();
  return { ...figures, lostPerCall: (sent - heard) / floods };
}

async function measure(subject: Exercised, operations: number, work: () => Promise<number>): Promise<Figures> {
  const before = await subject.cpuMicros();
  const elapsedMs = await work();
  return perOperation({ elapsedMs, cpuMicros: (await subject.cpuMicros()) - before, operations });
}
