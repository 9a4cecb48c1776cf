import { expect, test } from 'vitest';
import { Results } from '../results.ts';
import { BARE, judgeSqliteServers } from './sqlite-tables.ts';

const SIGNALBOX = { implementation: 'signalbox', variant: 'stdio' };

test.each([
  ['read', 'cpuMs', 2.5, 2.6],
  ['small', 'perSecond', 5000, 4999],
  ['import', 'rowsPerSecond', 50_000, 49_999],
  ['runaway', 'delayMs', 50, 51],
])(
  'the target of the table %s is met at its limit and missed beyond it',
  (table, figure, met, missed) => {
    const verdicts = [met, missed].map((value) => {
      const results = new Results();
      results.add(BARE, 'read', { cpuMs: 1 });
      results.add(SIGNALBOX, table, { [figure]: value });
      return judgeSqliteServers(results).filter(({ isMet }) => isMet).length;
    });
    expect(verdicts).toEqual([1, 0]);
  },
);
