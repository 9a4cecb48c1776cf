import { expect, test } from 'vitest';
import type { Entry } from '../timeline/entries.ts';
import { waterfallOf } from './waterfall.ts';

const at = (ms: number): string => new Date(ms).toISOString();
const prompt = { kind: 'prompt', key: 'prompt', at: at(0) } as Entry;
const call = (key: string, ...spans: readonly (readonly [number, number?])[]) =>
  ({
    kind: 'call',
    key,
    planned: { name: key },
    spans: spans.map(([from, to]) => ({ phase: 'running', from, ...(to && { to }) })),
  }) as unknown as Entry;

test('overlapping calls count once', () => {
  const calls = [
    call('a', [0, 100]),
    call('b', [50, 150]),
    call('c', [60, 70]),
    call('d', [200, 300]),
  ];
  const { totals, from, to } = waterfallOf([prompt, ...calls], 1000);
  expect(totals).toEqual({ model: 0, running: 250, waiting: 0, asking: 0 });
  expect([from, to]).toEqual([0, 300]);
});

test('a bar without an end lasts until now, or until the end of the run', () => {
  const open = [prompt, call('a', [100])];
  expect(waterfallOf(open, 400).bars[0]).toMatchObject({ from: 100, to: 400 });
  const end = { kind: 'end', key: 'end', at: at(250) } as Entry;
  expect(waterfallOf([...open, end], 400).bars[0]).toMatchObject({ to: 250 });
});

test('a run without bars has no time', () => {
  expect(waterfallOf([], 5)).toMatchObject({ bars: [], from: 5, to: 6 });
});
