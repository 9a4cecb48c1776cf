import { expect, test } from 'vitest';
import { signalBusContract } from '../ports/signal-bus.contract.ts';
import type { Signal } from '../ports/signal-bus.ts';
import { createInProcessSignalBus } from './in-process-signal-bus.ts';

signalBusContract('in-process', () => ({
  bus: createInProcessSignalBus(),
  settle: () => Promise.resolve(),
}));

const cancel = (runId: string): Signal => ({ type: 'cancel', runId });

test('every listener of a topic receives every signal synchronously and in order', () => {
  const bus = createInProcessSignalBus();
  const received: string[] = [];
  bus.subscribe('item:i', (signal) => received.push(`1:${JSON.stringify(signal)}`));
  bus.subscribe('item:i', (signal) => received.push(`2:${JSON.stringify(signal)}`));
  bus.publish({ type: 'inbox', itemId: 'i' });
  bus.publish({ type: 'inbox', itemId: 'j' });
  expect(received).toEqual(['1:{"type":"inbox","itemId":"i"}', '2:{"type":"inbox","itemId":"i"}']);
});

test('a signal published by a listener reaches all listeners after the current signal', () => {
  const bus = createInProcessSignalBus();
  const received: Signal[] = [];
  bus.subscribe('cancels', (signal) => {
    if (signal.type === 'cancel' && signal.runId === 'first') bus.publish(cancel('second'));
  });
  bus.subscribe('cancels', (signal) => received.push(signal));
  bus.publish(cancel('first'));
  expect(received).toEqual([cancel('first'), cancel('second')]);
});

test('a function that is subscribed twice is called twice and unsubscribed separately', () => {
  const bus = createInProcessSignalBus();
  const received: Signal[] = [];
  const listener = (signal: Signal): void => void received.push(signal);
  const unsubscribe = bus.subscribe('cancels', listener);
  bus.subscribe('cancels', listener);
  bus.publish(cancel('a'));
  unsubscribe();
  bus.publish(cancel('b'));
  expect(received).toEqual([cancel('a'), cancel('a'), cancel('b')]);
});

test('a listener added during delivery receives the next signal, not the current signal', () => {
  const bus = createInProcessSignalBus();
  const received: Signal[] = [];
  bus.subscribe('cancels', () => bus.subscribe('cancels', (signal) => received.push(signal)));
  bus.publish(cancel('a'));
  expect(received).toEqual([]);
  bus.publish(cancel('b'));
  expect(received).toEqual([cancel('b')]);
});
