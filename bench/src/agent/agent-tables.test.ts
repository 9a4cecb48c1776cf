import { expect, test } from 'vitest';
import { Results } from '../results.ts';
import { formatAgentTable, judgeAgent, SUBJECT } from './agent-tables.ts';

function resultsOf(
  key: string,
  ...rounds: readonly { readonly [figure: string]: number }[]
): Results {
  const results = new Results();
  for (const figures of rounds) results.add(SUBJECT, key, figures);
  return results;
}

test('a table shows the median, the lowest and the highest of the rounds', () => {
  const table = {
    key: 'x',
    title: 'Runs',
    lines: [
      { figure: 'ms', title: 'ms', digits: 1 },
      { figure: 'none', title: 'unknown', digits: 0 },
    ],
  };
  expect(formatAgentTable(table, resultsOf('x', { ms: 3 }, { ms: 1 }, { ms: 12 }))).toBe(
    `## Runs

|         | median | lowest | highest |
| ------- | -----: | -----: | ------: |
| ms      |    3.0 |    1.0 |    12.0 |
| unknown |      – |      – |       – |
`,
  );
});

test('a target of time is met by the median, one of loss by every round', () => {
  const verdictOf = (results: Results, target: string) =>
    judgeAgent(results).find((verdict) => verdict.target === target);
  expect(
    verdictOf(
      resultsOf('turns', { overheadMs: 9 }, { overheadMs: 1 }, { overheadMs: 2 }),
      'overhead of a turn, p50, ms',
    ),
  ).toMatchObject({ measured: '2.0', isMet: true });
  expect(
    verdictOf(resultsOf('turns', { overheadMs: 2.2 }), 'overhead of a turn, p50, ms'),
  ).toMatchObject({ isMet: false });
  expect(
    verdictOf(
      resultsOf('crowd', { lost: 0 }, { lost: 0 }, { lost: 1 }),
      '200 runs at once: events lost',
    ),
  ).toMatchObject({ measured: '1', isMet: false });
  expect(verdictOf(resultsOf('crowd', { lost: 0 }), '200 runs at once: events lost')).toMatchObject(
    { measured: '0', isMet: true },
  );
  expect(verdictOf(resultsOf('crowd', {}), '1,000 readers: events lost')).toMatchObject({
    measured: '–',
  });
});

test('idle memory is judged with the helper process', () => {
  const verdictOf = (figures: { readonly [figure: string]: number }) =>
    judgeAgent(resultsOf('startUp', figures)).find(({ target }) =>
      target.startsWith('idle memory'),
    );
  expect(verdictOf({ serviceMb: 118.1, helperMb: 50, idleMb: 168.1 })).toMatchObject({
    measured: '168.1',
    isMet: false,
  });
  // Without a measurement of the helper the target is not met.
  expect(verdictOf({ serviceMb: 118.1, helperMb: Number.NaN, idleMb: Number.NaN })).toMatchObject({
    measured: '–',
    isMet: false,
  });
});
