import type { Database } from 'better-sqlite3';
import { cutText } from './encode-cell.ts';
import type { SchemaSql } from './protocol.ts';

const DEFINITIONS = `SELECT s.sql FROM sqlite_schema s JOIN pragma_table_list l ON l.name = s.name AND l.schema = 'main'
  WHERE s.type IN ('table', 'view') AND l.type <> 'shadow' AND s.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND s.sql IS NOT NULL ORDER BY s.name`;
/** Most bytes of one definition, so that none takes the room of all others. */
const MAX_DEFINITION_BYTES = 8192;

/**
 * Returns the statements that define the tables and views, in order of name, as many as fit into
 * `maxBytes`.
 */
export function schemaSql(database: Database, maxBytes: number): SchemaSql {
  const definitions = database.prepare<[], string>(DEFINITIONS).pluck().all();
  const kept: string[] = [];
  let bytesLeft = maxBytes;
  for (const definition of definitions) {
    const sql = `${cutText(definition, MAX_DEFINITION_BYTES)};`;
    bytesLeft -= Buffer.byteLength(sql) + 1;
    if (bytesLeft < 0) break;
    kept.push(sql);
  }
  return { sql: kept.join('\n'), truncated: kept.length < definitions.length };
}
