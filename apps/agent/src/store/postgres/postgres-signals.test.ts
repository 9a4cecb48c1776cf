import { expect, test } from 'vitest';
import { signalBusContract } from '../../ports/signal-bus.contract.ts';
import type { Signal } from '../../ports/signal-bus.ts';
import { createInProcessSignalBus } from '../../queue/in-process-signal-bus.ts';
import { PostgresSignals } from './postgres-signals.ts';

interface TwoProcesses {
  readonly first: PostgresSignals;
  readonly second: PostgresSignals;
  readonly payloads: string[];
  readonly settle: () => Promise<void>;
}

/** Two processes whose notifications reach both. */
function twoProcesses(): TwoProcesses {
  const payloads: string[] = [];
  const notify = async (payload: string): Promise<void> => {
    payloads.push(payload);
    await new Promise((resolve) => void setImmediate(resolve));
    for (const each of [first, second]) each.receive(payload);
  };
  const process = (sender: string): PostgresSignals =>
    new PostgresSignals({ local: createInProcessSignalBus(), sender, notify });
  const [first, second] = [process('first'), process('second')];
  const settle = async (): Promise<void> => {
    for (let count = -1; count !== payloads.length;) {
      count = payloads.length;
      for (let turn = 0; turn < 3; turn += 1)
        await new Promise((resolve) => void setImmediate(resolve));
    }
  };
  return { first, second, payloads, settle };
}

const events = (runId: string, lastSeq: number): Signal => ({ type: 'events', runId, lastSeq });

function signalsOf(
  bus: PostgresSignals,
  ...topics: readonly Parameters<typeof bus.subscribe>[0][]
) {
  const signals: Signal[] = [];
  for (const topic of topics) bus.subscribe(topic, (signal) => void signals.push(signal));
  return signals;
}

signalBusContract('PostgreSQL', () => {
  const { first, settle } = twoProcesses();
  return { bus: first, settle };
});

test('another process receives the keys of a signal once, and this process receives it at once and whole', async () => {
  const { first, second, payloads, settle } = twoProcesses();
  const topics = ['run:a', 'item:i', 'cancels', 'servers'] as const;
  const [own, other] = [signalsOf(first, ...topics), signalsOf(second, ...topics)];
  const published: readonly Signal[] = [
    { ...events('a', 1), events: [] } as Signal,
    { type: 'inbox', itemId: 'i' },
    { type: 'cancel', runId: 'a' },
    { type: 'cancel', runId: 'a', callId: 'c' },
    { type: 'servers' },
    { type: 'delta', runId: 'a', messageId: 'm', kind: 'text', offset: 0, text: 'secret' },
  ];
  for (const signal of published) first.publish(signal);
  expect(own).toEqual(published);
  await settle();
  expect(own).toEqual(published);
  expect(other).toEqual([events('a', 1), ...published.slice(1, 5)]);
  expect(payloads.join('')).not.toContain('secret');
});

test('many signals are sent in few notifications below the limit of PostgreSQL, the newest of each run', async () => {
  const { first, second, payloads, settle } = twoProcesses();
  const runs = Array.from({ length: 500 }, (_, index) => `run-${String(index).padStart(32, '0')}`);
  const received = runs.map((runId) => signalsOf(second, `run:${runId}`));
  for (const lastSeq of [1, 2, 3]) for (const runId of runs) first.publish(events(runId, lastSeq));
  await settle();
  for (const [index, runId] of runs.entries())
    expect(received[index]?.at(-1)).toEqual(events(runId, 3));
  expect(payloads.length).toBeLessThan(10);
  for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8000);
});

test('a notification that no process of this version sent is ignored', () => {
  const { first } = twoProcesses();
  const received = signalsOf(first, 'servers');
  for (const payload of ['', '{', '[]', '["x",[["servers"]', '["x",[["unknown"]]]'])
    first.receive(payload);
  expect(received).toEqual([]);
  first.receive('["x",[["servers"]]]');
  expect(received).toEqual([{ type: 'servers' }]);
});
