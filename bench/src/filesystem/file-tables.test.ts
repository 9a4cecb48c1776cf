import { expect, test } from 'vitest';
import type { Figures } from '../figures.ts';
import { Results } from '../results.ts';
import { judgeFileServers } from './file-tables.ts';

function verdictOf(target: string, table: string, ours: Figures, official: Figures = {}) {
  const results = new Results();
  results.add({ implementation: 'signalbox', variant: 'stdio' }, table, ours);
  results.add({ implementation: 'official', variant: 'stdio' }, table, official);
  return judgeFileServers(results).find((verdict) => verdict.target === target);
}

test.each([
  ['read of 1 MiB: CPU', 'cpuMs', 1.5],
  ['read of 1 MiB: time', 'answerMs', 1.5],
  ['search of 150,000 entries: CPU', 'cpuMs', 5],
  ['search of 150,000 entries: time', 'answerMs', 5],
])('%s has a target and is missed below it', (target, figure, times) => {
  const table = target.startsWith('read') ? 'read' : 'search';
  expect(verdictOf(target, table, { [figure]: 10 }, { [figure]: 10 * times })).toMatchObject({
    wanted: `≥ ${times} × official`,
    isMet: true,
  });
  expect(verdictOf(target, table, { [figure]: 10 }, { [figure]: 10 * times - 1 })).toMatchObject({
    isMet: false,
  });
});

test('idle memory is judged in MB', () => {
  expect(verdictOf('idle memory, MB', 'start', { residentMb: 55.8 })).toEqual({
    target: 'idle memory, MB',
    wanted: '≤ 55',
    measured: '55.8',
    isMet: false,
  });
  expect(verdictOf('idle memory, MB', 'start', { residentMb: 55 })).toMatchObject({ isMet: true });
});
