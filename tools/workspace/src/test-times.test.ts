import { expect, test } from 'vitest';

interface TestFile {
  readonly startTime: number;
  readonly endTime: number;
}

const { timesOf } = (await import(new URL('../../test-times.mjs', import.meta.url).href)) as {
  readonly timesOf: (
    files: ReadonlyMap<string, readonly TestFile[]>,
    times: { readonly startedAt: number; readonly endedAt: number },
  ) => string;
};

const lasting = (ms: number): TestFile => ({ startTime: 1000, endTime: 1000 + ms });

test('npm test names its whole time and the three projects whose test files took longest', () => {
  const files = new Map([
    ['quick', [lasting(3000)]],
    ['slow', [lasting(28_000), lasting(32_000)]],
    ['second', [lasting(40_000)]],
    ['third', [lasting(30_400)]],
    ['empty', []],
  ]);
  expect(timesOf(files, { startedAt: 1000, endedAt: 100_000 })).toBe(
    '99 s in all; slowest: slow 60 s, second 40 s, third 30 s',
  );
  expect(timesOf(new Map(), { startedAt: 0, endedAt: 4000 })).toBe('4 s in all');
});
