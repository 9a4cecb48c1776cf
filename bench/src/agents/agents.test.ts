import { expect, test } from 'vitest';
import { replacePart } from '../agent/report.ts';
import { Results } from '../results.ts';
import { formatBackends, judgeBackends, KILL_TABLE, TURN_TABLE } from './backend-tables.ts';
import { floor } from './backends.ts';
import { measureKill, measureTurns } from './measure-backend.ts';

test('a backend makes every turn of its runs with the model and the server', async () => {
  const figures = await measureTurns(floor, { warmUp: 0, inSequence: 1, atOnce: 1 });
  expect(Object.keys(figures)).toEqual(['sequenceMs', 'crowdMs']);
});

test('runs of a killed backend without storage do not end', async () => {
  expect(await measureKill(floor, { runs: 2, quietMs: 50 })).toEqual({ killed: 2, finished: 0 });
});

function resultsOf(): Results {
  const results = new Results();
  const ours = { implementation: 'Ours', variant: 'SQLite' };
  const rival = { implementation: 'Rival', variant: 'SQLite' };
  for (const sequenceMs of [3, 5, 4]) results.add(ours, TURN_TABLE, { sequenceMs, crowdMs: 3.5 });
  results.add(rival, TURN_TABLE, { sequenceMs: 6, crowdMs: 3 });
  results.add({ implementation: 'Forgetful', variant: 'none' }, TURN_TABLE, {
    sequenceMs: 1,
    crowdMs: 1,
  });
  results.add(ours, KILL_TABLE, { killed: 20, finished: 20 });
  results.add(rival, KILL_TABLE, { killed: 19, finished: 0 });
  return results;
}

test('the table of backends shows the median, the range and the killed runs that ended', () => {
  expect(formatBackends(resultsOf())).toBe(
    `| backend   | storage | one after the other | lowest–highest | at once | lowest–highest | killed runs that ended |
| --------- | ------: | ------------------: | -------------: | ------: | -------------: | ---------------------: |
| Ours      |  SQLite |                4.00 |      3.00–5.00 |    3.50 |      3.50–3.50 |               20 of 20 |
| Rival     |  SQLite |                6.00 |      6.00–6.00 |    3.00 |      3.00–3.00 |                0 of 19 |
| Forgetful |    none |                1.00 |      1.00–1.00 |    1.00 |      1.00–1.00 |                      – |`,
  );
});

test('a backend is judged by the limits and by the cheapest other that stores its runs', () => {
  expect(judgeBackends(resultsOf(), 'Ours').map(({ isMet }) => isMet)).toEqual([
    true, // 4.0 of 4
    true, // 4.0 of 6
    false, // 3.5 of 3
    false, // 3.5 of 3
    true, // 0 lost
  ]);
});

test('a report replaces its own part of the figures and no other', () => {
  const file = '# The agent, 2026-01-01\n\nold\n\n## Runs\n\n# Others, 2026-01-01\n\nkept\n';
  const next = replacePart(file, 'The agent', '# The agent, 2026-02-02\n\nnew\n');
  expect(next).toBe('# The agent, 2026-02-02\n\nnew\n\n# Others, 2026-01-01\n\nkept\n');
  expect(replacePart(next, 'Third', '# Third, 2026-02-02\n')).toBe(
    `${next.trim()}\n\n# Third, 2026-02-02\n`,
  );
});
