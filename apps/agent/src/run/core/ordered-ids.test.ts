import { expect, test } from 'vitest';
import { validate, version } from 'uuid';
import { orderedIds } from './ordered-ids.ts';

test('ids are different UUIDs of version 7 in the order of their creation, also when the clock stands still or goes back', () => {
  const times = [1000, 1000, 999, 1001, 1000];
  let made = 0;
  const newId = orderedIds(() => times[Math.floor((made++ / 1000) % times.length)] ?? 0);
  const ids = Array.from({ length: 5000 }, newId);
  expect(ids.every((id) => validate(id) && version(id) === 7)).toBe(true);
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});

test('the time of an id is that of its creation', () => {
  const at = Date.parse('2026-11-23T12:00:00Z');
  const id = orderedIds(() => at)();
  expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(at);
});
