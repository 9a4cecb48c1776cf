import { expect, test } from 'vitest';
import { Activities } from './activities.ts';
import { DEFAULT_CONCURRENCY } from '../../ports/concurrency.ts';

const call = (id: string, server = 'a') => ({ id, runId: 'r', server });

test('a call whose next attempt starts before the last attempt ended is notified when the last attempt ends', () => {
  const told: string[] = [];
  const activities = new Activities((id) => told.push(id));
  const last = activities.beginCall(call('one'));
  last.park();
  expect(activities.hasRoom(call('one'))).toBe(false);
  expect(told).toEqual([]);
  last.end();
  expect(told).toEqual(['one']);
  expect(activities.hasRoom(call('one'))).toBe(true);
});

test('a server has 32 slots of its own for calls; a call that waits for a person takes no slot', () => {
  const told: string[] = [];
  const activities = new Activities((id) => told.push(id));
  const calls = Array.from({ length: 32 }, (_, index) =>
    activities.beginCall(call(`call-${index}`)),
  );
  expect(activities.hasRoom(call('late'))).toBe(false);
  expect(activities.hasRoom(call('other', 'b'))).toBe(true);
  calls[0]!.park();
  expect(told).toEqual(['late']);
  expect(activities.hasRoom(call('late'))).toBe(true);
});

test('256 calls may wait with their connection open, with any number of input requests each', () => {
  const activities = new Activities(() => undefined);
  const places = Array.from({ length: DEFAULT_CONCURRENCY.heldCalls }, (_, index) =>
    activities.hold(`call-${index}`)!,
  );
  expect(activities.hold('late')).toBeUndefined();
  const second = activities.hold('call-0');
  expect(second).toBeDefined();
  second!();
  expect(activities.hold('late')).toBeUndefined();
  places[0]!();
  expect(activities.hold('late')).toBeDefined();
});

test('when calls end, waiting calls get the free slots in order', () => {
  const told: string[] = [];
  const activities = new Activities((id) => told.push(id));
  const calls = Array.from({ length: 32 }, (_, index) =>
    activities.beginCall(call(`call-${index}`)),
  );
  const late = Array.from({ length: 200 }, (_, index) => call(`late-${index}`));
  for (const each of late) expect(activities.hasRoom(each)).toBe(false);
  for (const each of calls.slice(0, 3)) each.end();
  expect(told).toEqual(['late-0', 'late-1', 'late-2']);
  expect(activities.hasRoom(call('later'))).toBe(false);
  for (const id of told) expect(activities.hasRoom(call(id))).toBe(true);
});

test('a slot that is reserved for a call that does not start goes to the next call', () => {
  const told: string[] = [];
  const activities = new Activities((id) => told.push(id));
  const calls = Array.from({ length: 32 }, (_, index) =>
    activities.beginCall(call(`call-${index}`)),
  );
  for (const id of ['cancelled', 'next']) expect(activities.hasRoom(call(id))).toBe(false);
  calls[0]!.end();
  activities.forgo('cancelled');
  expect(told).toEqual(['cancelled', 'next']);
  expect(activities.hasRoom(call('next'))).toBe(true);
  activities.forgo('next');
});
