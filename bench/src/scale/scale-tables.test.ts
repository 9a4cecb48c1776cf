import { expect, test } from 'vitest';
import { combinations, DURABLE, EMBEDDED, nameOf, ON_POSTGRES } from './combinations.ts';
import { replaceSection } from './report.ts';
import { checkTable, predictMeasured, storeTable, type Point } from './scale-tables.ts';

/** A measurement of one round in which a turn takes 5 ms, all of it CPU time of one process. */
const figures = {
  turnMs: 5,
  apiMs: 5,
  workersMs: 0,
  clientMs: 1,
  postgresMs: 0,
  redisMs: 0,
  apiMsAlone: 5,
  workersMsAlone: 0,
  clientMsAlone: 1,
  postgresMsAlone: 0,
  redisMsAlone: 0,
  commits: 0,
  redisCommands: 0,
  peakMb: 100,
  serviceMs: 5,
  serviceMsAlone: 5,
  enginesMs: 0,
  enginesMsAlone: 0,
  turnsPerSecond: 160,
};

const point = (combination: Point['combination'], changes: object = {}): Point => ({
  combination,
  row: { implementation: '', variant: '', rounds: [{ ...figures, ...changes }] },
});

test('every combination has a name of its own', () => {
  expect(new Set(combinations.map(nameOf)).size).toBe(combinations.length);
});

test('one busy process limits the prediction, or the cores that all processes share', () => {
  const one = predictMeasured(point(EMBEDDED), { cores: 4, runs: 100 });
  expect(one.bottleneck).toBe('API processes');
  expect(one.throughput).toBeCloseTo(200, 0);
  const shared = predictMeasured(point(EMBEDDED), { cores: 1, runs: 100 });
  expect(shared.bottleneck).toBe('cores of the machine');
  expect(shared.throughput).toBeCloseTo(1000 / 6);
});

test('the check has the error of the prediction', () => {
  const table = checkTable([point(EMBEDDED)], { cores: 4, runs: 100 });
  expect(table).toMatch(/\| +160 \| +200 \| +25 % \|/u);
});

test('PostgreSQL is compared with SQLite', () => {
  const table = storeTable([
    point(EMBEDDED),
    point(DURABLE, { serviceMs: 6 }),
    point(ON_POSTGRES, { serviceMs: 9, enginesMs: 3 }),
  ]);
  expect(table).toMatch(
    /service, all.* \| +5\.00 \| +6\.00 \| +9\.00 \| +1\.80 \| +1\.50 \| +2\.50 \|/u,
  );
  expect(table).toMatch(/database, all.* \| +5\.00 \| +6\.00 \| +12\.00 \| +2\.40 \| +2\.00 \|/u);
});

test('a section of the page is replaced, and a section that is missing is an error', () => {
  const page = 'a\n<!-- bench:scale x -->\n\nold\n\n<!-- bench:scale end -->\nb\n';
  expect(replaceSection(page, 'x', 'new')).toBe(
    'a\n<!-- bench:scale x -->\n\nnew\n\n<!-- bench:scale end -->\nb\n',
  );
  expect(() => replaceSection(page, 'y', 'new')).toThrow('no section y');
});
