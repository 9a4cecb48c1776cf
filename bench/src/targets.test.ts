import { expect, test } from 'vitest';
import type { Figures } from './figures.ts';
import { Results } from './results.ts';
import { formatTargets, judge } from './targets.ts';

test('a target is met by the median, and one that nothing was measured for is left out', () => {
  const results = resultsOf({
    'stdioServer.concurrent': {
      signalbox: [{ cpuMicros: 10 }, { cpuMicros: 10 }, { cpuMicros: 99 }],
      'sdk-v2': [{ cpuMicros: 31 }],
    },
    idleSession: { signalbox: [{ heapKib: 2.4 }] },
  });
  expect(judge(results)).toEqual([
    {
      target: 'server, stdio, 64 in flight: CPU, legacy',
      wanted: '≥ 3 × sdk-v2',
      measured: '3.1 ×',
      isMet: true,
    },
    {
      target: 'heap of an idle HTTP session, KiB, legacy',
      wanted: '≤ 2',
      measured: '2.4',
      isMet: false,
    },
  ]);
});

test('of calls per second more is better', () => {
  const results = resultsOf({
    'stdioServer.concurrent': { signalbox: [{ perSecond: 100 }], 'sdk-v2': [{ perSecond: 40 }] },
  });
  expect(judge(results)).toEqual([
    {
      target: 'server, stdio, 64 in flight: calls/s, legacy',
      wanted: '≥ 3 × sdk-v2',
      measured: '2.5 ×',
      isMet: false,
    },
  ]);
});

test('one lost notification misses the target', () => {
  const results = resultsOf({ 'stdioClient.flood': { signalbox: [{ lostPerCall: 0.1 }] } });
  expect(judge(results)).toMatchObject([{ isMet: false }]);
});

test('the weather server has 1.6 × the time of an empty process', () => {
  const results = new Results();
  results.add({ implementation: 'empty process', variant: 'no protocol' }, 'start', {
    readyMs: 25,
  });
  results.add({ implementation: 'weather server', variant: 'legacy' }, 'start', { readyMs: 40.5 });
  expect(judge(results)).toEqual([
    {
      target: 'weather server: spawn to tools/list, legacy',
      wanted: '≤ 40.0 ms (1.6 × empty)',
      measured: '40.5 ms',
      isMet: false,
    },
  ]);
});

test('the start is measured by that of an empty process, memory by the rival unbundled', () => {
  const results = resultsOf({
    start: { signalbox: [{ readyMs: 170, residentMb: 51 }], 'sdk-v2': [{ residentMb: 73 }] },
  });
  results.add({ implementation: 'empty process', variant: 'no protocol' }, 'start', {
    readyMs: 100,
  });
  expect(judge(results)).toMatchObject([
    { wanted: '≤ 175 ms (1.75 × empty)', isMet: true },
    { wanted: '≤ 52.0 MB (52/73 × sdk-v2)', isMet: true },
  ]);
});

test('one call in flight has the same target as many', () => {
  const results = resultsOf({
    'stdioClient.sequential': { signalbox: [{ cpuMicros: 10 }], 'sdk-v2': [{ cpuMicros: 17 }] },
    'stdioClient.sixteen': { signalbox: [{ cpuMicros: 10 }], 'sdk-v2': [{ cpuMicros: 27 }] },
  });
  expect(judge(results)).toMatchObject([
    { target: 'client, stdio, 1 in flight: CPU, legacy', wanted: '≥ 2.5 × sdk-v2', isMet: false },
    { target: 'client, stdio, 16 in flight: CPU, legacy', isMet: true },
  ]);
});

test('ours is compared with the floor: calls over stdio, a long text and peak memory', () => {
  const results = resultsOf(
    {
      'stdioServer.sequential': { signalbox: [{ cpuMicros: 13 }], floor: [{ cpuMicros: 10 }] },
      'stdioServer.sixteen': { signalbox: [{ cpuMicros: 16 }], floor: [{ cpuMicros: 10 }] },
      'stdioServer.crowded': { signalbox: [{ cpuMicros: 15 }], floor: [{ cpuMicros: 10 }] },
      'stdioServerLong.sixteen': { signalbox: [{ cpuMicros: 14 }], floor: [{ cpuMicros: 10 }] },
      peakMemory: { signalbox: [{ peakMb: 65 }], floor: [{ peakMb: 50 }] },
    },
    'modern',
  );
  expect(judge(results)).toEqual([
    {
      target: 'server, stdio, 1 in flight: CPU, modern',
      wanted: '≤ 1.3 × floor',
      measured: '1.30 ×',
      isMet: true,
    },
    {
      target: 'server, stdio, 16 in flight: CPU, modern',
      wanted: '≤ 1.5 × floor',
      measured: '1.60 ×',
      isMet: false,
    },
    {
      target: 'server, stdio, 128 in flight: CPU, modern',
      wanted: '≤ 1.5 × floor',
      measured: '1.50 ×',
      isMet: true,
    },
    {
      target: 'server, stdio, 10 KB, 16 in flight: CPU, modern',
      wanted: '≤ 1.3 × floor',
      measured: '1.40 ×',
      isMet: false,
    },
    {
      target: 'server, stdio, 16 in flight: peak memory, modern',
      wanted: '≤ 1.3 × floor',
      measured: '1.30 ×',
      isMet: true,
    },
  ]);
});

test('over HTTP, 16 calls in flight are compared with the floor unless there are sessions', () => {
  const tables = {
    'httpServer.sixteen': { signalbox: [{ cpuMicros: 14 }], floor: [{ cpuMicros: 10 }] },
  };
  const judged = ['sessions', 'stateless', 'modern'].flatMap((mode) =>
    judge(resultsOf(tables, mode)),
  );
  expect(judged).toEqual(
    ['stateless', 'modern'].map((mode) => ({
      target: `server, HTTP, 16 in flight: CPU, ${mode}`,
      wanted: '≤ 1.3 × floor',
      measured: '1.40 ×',
      isMet: false,
    })),
  );
});

test('sessions with the event store are compared with those without', () => {
  const results = resultsOf(
    {
      'eventStore.sixteen': {
        signalbox: [{ cpuMicros: 15 }],
        'signalbox without event store': [{ cpuMicros: 10 }],
      },
      'eventStore.flood': {
        signalbox: [{ cpuMicros: 16 }],
        'signalbox without event store': [{ cpuMicros: 10 }],
      },
    },
    'sessions',
  );
  expect(judge(results)).toMatchObject([
    {
      target: 'server, HTTP with event store, 16 in flight: CPU, sessions',
      wanted: '≤ 1.5 × signalbox without event store',
      isMet: true,
    },
    { target: 'server, HTTP with event store, progress: CPU, sessions', isMet: false },
  ]);
});

test('the table says what was met', () => {
  expect(
    formatTargets([
      { target: 'one', wanted: '0', measured: '1', isMet: false },
      { target: 'two', wanted: '≤ 2', measured: '2', isMet: true },
    ]),
  ).toBe(`## Targets

|     | wanted | measured |            |
| --- | -----: | -------: | ---------: |
| one |      0 |        1 | **missed** |
| two |    ≤ 2 |        2 |        met |
`);
});

/** Figures by table and implementation, all in one variant. */
function resultsOf(
  tables: Readonly<Record<string, Readonly<Record<string, readonly Figures[]>>>>,
  variant = 'legacy',
): Results {
  const results = new Results();
  for (const [table, byImplementation] of Object.entries(tables)) {
    for (const [implementation, rounds] of Object.entries(byImplementation)) {
      const run = { implementation, variant };
      for (const figures of rounds) results.add(run, table, figures);
    }
  }
  return results;
}
