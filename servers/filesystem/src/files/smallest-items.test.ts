import { assert, constantFrom, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { byCodePoint, SmallestItems } from './smallest-items.ts';

test.each([1, 7, 100])('keeps the %i smallest of any order', (capacity) => {
  const names = Array.from({ length: 1000 }, (_, index) => `n${(index * 617) % 1000}`);
  for (const order of [
    names,
    names.toSorted(byCodePoint),
    names.toSorted(byCodePoint).toReversed(),
  ]) {
    const smallest = new SmallestItems(capacity, byCodePoint);
    for (const name of order) smallest.add(name);
    expect(smallest.sorted()).toEqual(names.toSorted(byCodePoint).slice(0, capacity));
  }
});

test('keeps nothing without room, and everything when there is more room than items', () => {
  const none = new SmallestItems(0, byCodePoint);
  const roomy = new SmallestItems(5, byCodePoint);
  for (const name of ['b', 'a']) [none, roomy].forEach((items) => items.add(name));
  expect([none.sorted(), roomy.sorted()]).toEqual([[], ['a', 'b']]);
});

test('looks once at each item that is too large, and does not sort it', () => {
  let comparisons = 0;
  const smallest = new SmallestItems<number>(10, (left, right) => {
    comparisons++;
    return left - right;
  });
  for (let item = 0; item < 100_000; item++) smallest.add(item);
  expect(smallest.sorted()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(comparisons).toBeLessThan(101_000);
});

test('strings are in the order of their UTF-8 bytes', () => {
  const characters = string({
    unit: constantFrom('a', 'Z', '\u00e9', '\uff21', '\u{1f600}'),
  });
  assert(
    property(characters, characters, (left, right) => {
      expect(Math.sign(byCodePoint(left, right))).toBe(
        Buffer.compare(Buffer.from(left), Buffer.from(right)),
      );
    }),
  );
});
