import { expect, test } from 'vitest';
import type { Signal } from '../ports/signal-bus.ts';
import { createInProcessSignalBus } from './in-process-signal-bus.ts';

const cancel = (runId: string): Signal => ({ type: 'cancel', runId });

test('every listener receives every signal synchronously and in order', () => {
  const bus = createInProcessSignalBus();
  const heard: string[] = [];
  bus.subscribe((signal) => heard.push(`1:${JSON.stringify(signal)}`));
  bus.subscribe((signal) => heard.push(`2:${JSON.stringify(signal)}`));
  bus.publish({ type: 'inbox', itemId: 'i' });
  expect(heard).toEqual(['1:{"type":"inbox","itemId":"i"}', '2:{"type":"inbox","itemId":"i"}']);
});

test('a signal published by a listener reaches all listeners after the current signal', () => {
  const bus = createInProcessSignalBus();
  const heard: Signal[] = [];
  bus.subscribe((signal) => {
    if (signal.type === 'cancel' && signal.runId === 'first') bus.publish(cancel('second'));
  });
  bus.subscribe((signal) => heard.push(signal));
  bus.publish(cancel('first'));
  expect(heard).toEqual([cancel('first'), cancel('second')]);
});

test('a listener that unsubscribes receives no further signals, and removes only itself', () => {
  const bus = createInProcessSignalBus();
  const heard: Signal[] = [];
  const listener = (signal: Signal): void => void heard.push(signal);
  const unsubscribe = bus.subscribe(listener);
  bus.subscribe(listener);
  bus.publish(cancel('a'));
  unsubscribe();
  unsubscribe();
  bus.publish(cancel('b'));
  expect(heard).toEqual([cancel('a'), cancel('a'), cancel('b')]);
});

test('a listener added during delivery receives the next signal, not the current signal', () => {
  const bus = createInProcessSignalBus();
  const heard: Signal[] = [];
  bus.subscribe(() => bus.subscribe((signal) => heard.push(signal)));
  bus.publish(cancel('a'));
  expect(heard).toEqual([]);
  bus.publish(cancel('b'));
  expect(heard).toEqual([cancel('b')]);
});
