import type { Database } from 'better-sqlite3';
import { resultBytes } from './compact-json.ts';
import { estimateRows } from './estimate-rows.ts';
import type { ListTablesInput, TableList, TableSummary } from './protocol.ts';

interface TableRow {
  readonly name: string;
  readonly type: TableSummary['type'];
}

const ENVELOPE_BYTES = 4096;
const TABLES = `SELECT name, type FROM pragma_table_list
  WHERE schema = 'main' AND type <> 'shadow' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND (type <> 'view' OR :views)
    AND (:pattern IS NULL OR name GLOB :pattern) AND (:after IS NULL OR name > :after) ORDER BY name`;
const COLUMNS = `SELECT name, type FROM pragma_table_xinfo(?, 'main') WHERE hidden <> 1`;

/**
 * Lists tables by name, as many as fit into `maxResultBytes`. Excludes internal tables of SQLite
 * and shadow tables of virtual tables.
 */
export function listTables(
  database: Database,
  { includeViews, pattern, after }: ListTablesInput,
  maxResultBytes: number,
): TableList {
  const rows = database
    .prepare<[object], TableRow>(TABLES)
    .all({ views: includeViews ? 1 : 0, pattern: pattern ?? null, after: after ?? null });
  const tables: TableSummary[] = [];
  let bytesLeft = maxResultBytes - ENVELOPE_BYTES;
  for (const row of rows) {
    const table = summarize(database, row);
    bytesLeft -= resultBytes(table) + 2;
    if (bytesLeft < 0) break;
    tables.push(table);
  }
  const last = tables.at(-1);
  const truncated = tables.length < rows.length;
  return {
    tables,
    truncated,
    ...(truncated && last !== undefined ? { nextCursor: last.name } : {}),
  };
}

/**
 * Describes one table. A view without its table gets an error and does not hide the other tables.
 */
function summarize(database: Database, { name, type }: TableRow): TableSummary {
  try {
    const columns = database.prepare<[string], { name: string; type: string }>(COLUMNS).all(name);
    const rows = type === 'table' ? tryEstimate(database, name) : undefined;
    return { name, type, columns, ...(rows === undefined ? {} : { rowEstimate: rows }) };
  } catch (error) {
    if (type === 'table' || !(error instanceof Error)) throw error;
    return { name, type, columns: [], error: error.message };
  }
}

/** Estimates the rows of a table if possible. A damaged table must not hide the others. */
function tryEstimate(database: Database, name: string): number | undefined {
  try {
    return estimateRows(database, name);
  } catch {
    return undefined;
  }
}
