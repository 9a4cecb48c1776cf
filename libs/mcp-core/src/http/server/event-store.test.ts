import { expect, test } from 'vitest';
import { MemoryEventStore } from './event-store.ts';

const a1 = { sessionId: 'a', stream: 1 };
const a2 = { sessionId: 'a', stream: 2 };
const b1 = { sessionId: 'b', stream: 1 };
const sequences = (store: MemoryEventStore, address = a1) =>
  store.after(address, 0).map(({ sequence }) => sequence);

test('events are replayed by session and stream, in order, after a sequence number', () => {
  const store = new MemoryEventStore();
  for (const sequence of [1, 2, 3]) store.append(a1, { sequence, data: 'x' });
  store.append(a2, { sequence: 1, data: 'y' });
  store.append(b1, { sequence: 1, data: 'z' });
  expect(store.after(a1, 1).map(({ sequence }) => sequence)).toEqual([2, 3]);
  expect(store.after(a2, 0).map(({ data }) => data)).toEqual(['y']);
  store.forget('a');
  expect(sequences(store)).toEqual([]);
  expect(sequences(store, b1)).toEqual([1]);
});

test('the oldest events of a session are dropped when there are too many', () => {
  const store = new MemoryEventStore({ maxEventsPerSession: 3 });
  for (let sequence = 1; sequence <= 2000; sequence += 1) store.append(a1, { sequence, data: 'x' });
  expect(sequences(store)).toEqual([1998, 1999, 2000]);
});

test('the oldest events of a session are dropped when they are too long, but never the newest', () => {
  const store = new MemoryEventStore({ maxBytesPerSession: 522 });
  for (const [index, data] of ['12345', '12345', 'ä12345'].entries())
    store.append(a1, { sequence: index + 1, data });
  expect(sequences(store)).toEqual([3]);
  store.append(a1, { sequence: 4, data: 'x'.repeat(100) });
  expect(sequences(store)).toEqual([4]);
});

test('the session that stored least recently is dropped when all together are too long', () => {
  const store = new MemoryEventStore({ maxBytes: 522 });
  store.append(a1, { sequence: 1, data: '12345' });
  store.append(b1, { sequence: 1, data: '12345' });
  store.append(a1, { sequence: 2, data: '12345' });
  expect(sequences(store, b1)).toEqual([]);
  expect(sequences(store)).toEqual([1, 2]);
  store.append(b1, { sequence: 2, data: '1' });
  expect(sequences(store)).toEqual([]);
});
