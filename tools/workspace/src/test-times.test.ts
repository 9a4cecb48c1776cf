import { expect, test } from 'vitest';

interface Report {
  readonly startTime: number;
  readonly testResults: readonly { readonly endTime: number }[];
}

const { timesOf } = (await import(new URL('../../test-times.mjs', import.meta.url).href)) as {
  readonly timesOf: (
    reports: ReadonlyMap<string, Report>,
    times: { readonly startedAt: number; readonly endedAt: number },
  ) => string;
};

const report = (startTime: number, ...endTimes: number[]): Report => ({
  startTime,
  testResults: endTimes.map((endTime) => ({ endTime })),
});

test('npm test names its whole time and the three slowest projects, without those out of the cache', () => {
  const reports = new Map([
    ['quick', report(1000, 3000)],
    ['slow', report(2000, 30_000, 62_000)],
    ['cached', report(500, 90_500)],
    ['second', report(1000, 41_000)],
    ['third', report(1000, 31_400)],
  ]);
  expect(timesOf(reports, { startedAt: 1000, endedAt: 100_000 })).toBe(
    '99 s in all; slowest: slow 60 s, second 40 s, third 30 s',
  );
  expect(timesOf(new Map(), { startedAt: 0, endedAt: 4000 })).toBe('4 s in all');
});
