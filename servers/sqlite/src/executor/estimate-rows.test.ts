import { expect, test } from 'vitest';
import { openForReading, temporaryDatabase } from '../testing/temporary-database.ts';
import { estimateRows } from './estimate-rows.ts';

const series = (count: number) =>
  `WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < ${count}) SELECT x FROM c`;

test('counts up to 1000 rows, and estimates more from ANALYZE or the range of rowids', () => {
  const database = openForReading(
    temporaryDatabase(`
      CREATE TABLE "it's ""odd""(a); "(a); INSERT INTO "it's ""odd""(a); " ${series(1000)};
      CREATE TABLE analyzed(a); INSERT INTO analyzed ${series(2000)}; CREATE INDEX i ON analyzed(a); ANALYZE;
      DELETE FROM analyzed WHERE a BETWEEN 2 AND 500;
      CREATE TABLE ranged(a INTEGER PRIMARY KEY); INSERT INTO ranged ${series(3000)}; DELETE FROM ranged WHERE a BETWEEN 10 AND 1000;
      CREATE TABLE extreme(a INTEGER PRIMARY KEY); INSERT INTO extreme ${series(2000)};
      INSERT INTO extreme VALUES (-9223372036854775808), (9223372036854775807);
      CREATE TABLE bare(a PRIMARY KEY) WITHOUT ROWID; INSERT INTO bare ${series(2000)};`),
  );
  expect(estimateRows(database, 'it\'s "odd"(a); ')).toBe(1000);
  expect(estimateRows(database, 'analyzed')).toBe(2000);
  expect(estimateRows(database, 'ranged')).toBe(3000);
  expect(estimateRows(database, 'extreme')).toBe(Number.MAX_SAFE_INTEGER);
  expect(estimateRows(database, 'bare')).toBeUndefined();
});

test('never estimates fewer rows than were counted, whatever ANALYZE or a column says', () => {
  const database = openForReading(
    temporaryDatabase(`
      CREATE TABLE grown(a); CREATE INDEX i ON grown(a); INSERT INTO grown ${series(5)}; ANALYZE;
      INSERT INTO grown ${series(3000)};
      CREATE TABLE hidden(_rowid_ TEXT); INSERT INTO hidden ${series(2000)};
      CREATE TABLE gone(a); INSERT INTO gone ${series(2000)};
      DELETE FROM sqlite_stat1 WHERE tbl <> 'grown';`),
  );
  expect(estimateRows(database, 'grown')).toBe(3005);
  expect(estimateRows(database, 'gone')).toBe(2000);
  expect(estimateRows(database, 'hidden')).toBeUndefined();
});
