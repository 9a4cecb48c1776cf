import { createTestContext } from '@signalbox/mcp-core/testing';
import { expect, onTestFinished, test } from 'vitest';
import { geocoded, openMeteo, providerOf, springfields } from '../testing/open-meteo.ts';
import { startUpstream } from '../testing/upstream.ts';
import { PlaceCompletion } from './place-completion.ts';

async function setUp(debounceMs: number) {
  const ber = [
    geocoded(1, 'Bergen', { population: 290_000 }),
    geocoded(2, 'Berlin', { population: 3_400_000 }),
    geocoded(3, 'Berlin', { admin1: 'Elsewhere', population: 10_000 }),
  ];
  const upstream = await startUpstream(
    onTestFinished,
    openMeteo({ ber, be: ber, springfield: springfields }),
  );
  const completion = new PlaceCompletion(providerOf(upstream), debounceMs);
  const complete = (typed: string) => completion.complete(typed, { context: createTestContext() });
  return { upstream, complete };
}

test('suggests the names that mean a place, and labels for the others', async () => {
  const { complete } = await setUp(0);
  expect(await complete('Ber')).toEqual(['Berlin', 'Bergen', 'Berlin, Elsewhere, Testland']);
  expect(await complete('Springfield')).toEqual([
    'Springfield, Missouri, United States',
    'Springfield, Illinois, United States',
  ]);
});

test('requests nothing for one letter, coordinates and control characters', async () => {
  const { complete, upstream } = await setUp(0);
  for (const typed of ['', 'B', ' b ', '52', 'geo:1', 'Ber\u0000', 'x'.repeat(101)])
    expect(await complete(typed)).toEqual([]);
  expect(upstream.requests).toEqual([]);
});

test('requests places once while somebody types', async () => {
  const { complete, upstream } = await setUp(30);
  const values = await Promise.all([complete('be'), complete('ber')]);
  expect(values.map(({ length }) => length)).toEqual([0, 3]);
  expect(upstream.requests).toHaveLength(1);
});
