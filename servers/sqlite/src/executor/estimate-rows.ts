import type { Database } from 'better-sqlite3';
import { quoteIdentifier } from './quote-identifier.ts';

/** Number of rows up to which they are counted. */
const MAX_COUNTED = 1000;
const STATISTICS = 'SELECT stat FROM sqlite_stat1 WHERE tbl = ? ORDER BY idx IS NULL DESC LIMIT 1';
const HAS_STATISTICS = "SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat1'";
const HAS_ROWIDS = "SELECT wr = 0 FROM pragma_table_list WHERE schema = 'main' AND name = ?";

/**
 * Estimates the number of rows of a table in a short time: exact up to 1000, then from ANALYZE, then
 * from the range of the rowids, which counts deleted rows too. `undefined` when nothing is known.
 * @throws SqliteError for a damaged table
 */
export function estimateRows(database: Database, name: string): number | undefined {
  const table = `main.${quoteIdentifier(name)}`;
  const one = (sql: string, ...values: readonly string[]) =>
    database
      .prepare(sql)
      .pluck()
      .get(...values);
  const counted = one(`SELECT count(*) FROM (SELECT 1 FROM ${table} LIMIT ${MAX_COUNTED + 1})`);
  if (typeof counted === 'number' && counted <= MAX_COUNTED) return counted;
  if (one(HAS_STATISTICS) !== undefined) {
    const analyzed = Number.parseInt(String(one(STATISTICS, name)), 10);
    // Fewer rows than were counted are those of an ANALYZE before the table grew.
    if (analyzed > MAX_COUNTED) return analyzed;
  }
  if (one(HAS_ROWIDS, name) !== 1) return undefined;
  const range = one(`SELECT max(_rowid_) - min(_rowid_) + 1.0 FROM ${table}`);
  // A column may have the name of the rowid.
  return typeof range === 'number' && range > MAX_COUNTED
    ? Math.min(range, Number.MAX_SAFE_INTEGER)
    : undefined;
}
