import { describe, expect, test } from 'vitest';
import type { Signal, SignalBus } from './signal-bus.ts';

/** A bus under test. `settle` resolves when all published signals were delivered or lost. */
export interface BusUnderTest {
  readonly bus: SignalBus;
  readonly settle: () => Promise<void>;
}

/** Describes the behavior of every signal bus adapter. */
export function signalBusContract(
  name: string,
  create: () => BusUnderTest | Promise<BusUnderTest>,
): void {
  describe(`signal bus contract: ${name}`, () => {
    test('a listener receives the signals of its topic only', async () => {
      const { bus, settle } = await create();
      const [ofRun, ofItem, cancels] = [createListener(), createListener(), createListener()];
      bus.subscribe('run:a', ofRun.listener);
      bus.subscribe('item:a', ofItem.listener);
      bus.subscribe('cancels', cancels.listener);
      const published: readonly Signal[] = [
        events('a'),
        { type: 'delta', runId: 'a', messageId: 'm', kind: 'text', offset: 0, text: 'x' },
        events('b'),
        { type: 'inbox', itemId: 'a' },
        { type: 'inbox', itemId: 'b' },
        { type: 'cancel', runId: 'a' },
        { type: 'cancel', runId: 'b', callId: 'c' },
      ];
      for (const signal of published) bus.publish(signal);
      await settle();
      expect(isAmong(ofRun.signals, published.slice(0, 2))).toBe(true);
      expect(isAmong(ofItem.signals, published.slice(3, 4))).toBe(true);
      expect(isAmong(cancels.signals, published.slice(5))).toBe(true);
    });

    test('a signal is delivered at most once to each listener, and one publisher keeps its order', async () => {
      const { bus, settle } = await create();
      const [one, two] = [createListener(), createListener()];
      bus.subscribe('run:a', one.listener);
      bus.subscribe('run:a', two.listener);
      for (let lastSeq = 1; lastSeq <= 20; lastSeq += 1) bus.publish(events('a', lastSeq));
      await settle();
      for (const { signals } of [one, two]) {
        const seqs = signals.map((signal) => (signal.type === 'events' ? signal.lastSeq : 0));
        expect(seqs).toEqual([...new Set(seqs)].toSorted((a, b) => a - b));
      }
    });

    test('a listener that unsubscribes receives no further signals, and removes only itself', async () => {
      const { bus, settle } = await create();
      const { signals, listener } = createListener();
      const unsubscribe = bus.subscribe('run:a', listener);
      unsubscribe();
      unsubscribe();
      bus.publish(events('a', 1));
      await settle();
      expect(signals).toEqual([]);
      const again = bus.subscribe('run:a', listener);
      unsubscribe();
      bus.publish(events('a', 2));
      await settle();
      expect(isAmong(signals, [events('a', 2)])).toBe(true);
      again();
    });

    test('a signal without listeners, and a signal that a listener publishes, cause no error', async () => {
      const { bus, settle } = await create();
      bus.publish(events('a'));
      const { signals, listener } = createListener();
      bus.subscribe('run:a', () => bus.publish({ type: 'cancel', runId: 'a' }));
      bus.subscribe('cancels', listener);
      bus.publish(events('a'));
      await settle();
      expect(isAmong(signals, [{ type: 'cancel', runId: 'a' }])).toBe(true);
    });
  });
}

const events = (runId: string, lastSeq = 1): Signal => ({ type: 'events', runId, lastSeq });

function createListener(): {
  readonly signals: Signal[];
  readonly listener: (signal: Signal) => void;
} {
  const signals: Signal[] = [];
  return { signals, listener: (signal) => void signals.push(signal) };
}

/** Whether no other signals than those published were received. Signals can be lost. */
function isAmong(received: readonly Signal[], published: readonly Signal[]): boolean {
  const all = published.map((signal) => JSON.stringify(signal));
  return (
    received.length <= all.length &&
    received.every((signal) => all.includes(JSON.stringify(signal)))
  );
}
