import type { Database } from 'better-sqlite3';
import { closeNames } from './close-names.ts';
import { resultBytes } from './compact-json.ts';
import { cutText } from './encode-cell.ts';
import type {
  ForeignKey,
  TableColumn,
  TableDescription,
  TableIndex,
  TableType,
} from './protocol.ts';

/** Reports a missing table or view; the message lists similar names. */
export class UnknownTableError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnknownTableError';
  }
}

export interface DescriptionLimits {
  readonly maxCellBytes: number;
  readonly maxResultBytes: number;
}

interface ColumnRow {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly dflt_value: string | null;
  readonly pk: number;
  readonly hidden: number;
}

interface ForeignKeyRow {
  readonly id: number;
  readonly seq: number;
  readonly table: string;
  readonly from: string;
  readonly to: string | null;
  readonly on_update: string;
  readonly on_delete: string;
}

const ENVELOPE_BYTES = 4096;
const MIN_SQL_BYTES = 16;
const FIND = `SELECT s.name, l.type, s.sql FROM sqlite_schema s JOIN pragma_table_list l ON l.name = s.name AND l.schema = 'main'
  WHERE s.type IN ('table', 'view') AND s.name = ? COLLATE NOCASE ORDER BY s.name = ? DESC LIMIT 1`;
const NAMES = `SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY name`;
const COLUMNS = `SELECT * FROM pragma_table_xinfo(?, 'main') WHERE hidden <> 1 ORDER BY cid`;
const FOREIGN_KEYS = `SELECT * FROM pragma_foreign_key_list(?, 'main') ORDER BY id, seq`;
const INDEXES = `SELECT name, "unique", partial FROM pragma_index_list(?, 'main') ORDER BY name`;
const INDEX_COLUMNS = `SELECT name FROM pragma_index_info(?, 'main') ORDER BY seqno`;
const TRIGGERS = `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE ORDER BY name`;

/**
 * Describes one table or view of the database. Binds the name and never makes it part of the SQL.
 * Cuts the SQL of the table and its triggers until the description fits.
 * @throws UnknownTableError; Error when the description does not fit even without SQL.
 */
export function describeTable(
  database: Database,
  name: string,
  limits: DescriptionLimits,
): TableDescription {
  let maxSqlBytes = limits.maxCellBytes;
  for (;;) {
    const description = describeWith(database, name, maxSqlBytes);
    if (resultBytes(description) + ENVELOPE_BYTES <= limits.maxResultBytes) return description;
    if (maxSqlBytes < MIN_SQL_BYTES)
      throw new Error(
        `The description of ${description.name} passes the result limit; read its columns with PRAGMA table_xinfo.`,
      );
    maxSqlBytes = Math.floor(maxSqlBytes / 4);
  }
}

function describeWith(database: Database, name: string, maxSqlBytes: number): TableDescription {
  const found = database
    .prepare<[string, string], { name: string; type: TableType; sql: string | null }>(FIND)
    .get(name, name);
  if (found === undefined) throw unknownTable(database, name);
  const columns = database.prepare<[string], ColumnRow>(COLUMNS).all(found.name);
  return {
    name: found.name,
    type: found.type,
    columns: columns.map(toColumn),
    primaryKey: columns
      .filter((column) => column.pk > 0)
      .toSorted((left, right) => left.pk - right.pk)
      .map((column) => column.name),
    foreignKeys: listForeignKeys(database, found.name),
    indexes: listIndexes(database, found.name),
    triggers: database
      .prepare<[string], { name: string; sql: string }>(TRIGGERS)
      .all(found.name)
      .map((trigger) => ({ ...trigger, sql: cutText(trigger.sql, maxSqlBytes) })),
    sql: cutText(found.sql ?? '', maxSqlBytes),
  };
}

function unknownTable(database: Database, name: string): UnknownTableError {
  const names = database.prepare<[], string>(NAMES).pluck().all();
  const subject = `There is no table or view ${JSON.stringify(cutText(name, 128))}`;
  return new UnknownTableError(
    names.length === 0
      ? `${subject}: the database is empty.`
      : `${subject}. Existing: ${closeNames(name, names).join(', ')}.`,
  );
}

function toColumn(column: ColumnRow): TableColumn {
  return {
    name: column.name,
    type: column.type,
    notNull: column.notnull !== 0,
    default: column.dflt_value,
    generated: column.hidden > 1,
  };
}

function listForeignKeys(database: Database, table: string): ForeignKey[] {
  const rows = database.prepare<[string], ForeignKeyRow>(FOREIGN_KEYS).all(table);
  return rows
    .filter((row) => row.seq === 0)
    .map((first) =>
      toForeignKey(
        first,
        rows.filter((row) => row.id === first.id),
      ),
    );
}

function toForeignKey(first: ForeignKeyRow, rows: readonly ForeignKeyRow[]): ForeignKey {
  return {
    columns: rows.map((row) => row.from),
    table: first.table,
    references: rows.map((row) => row.to).filter((column) => column !== null),
    onUpdate: first.on_update,
    onDelete: first.on_delete,
  };
}

function listIndexes(database: Database, table: string): TableIndex[] {
  const indexes = database
    .prepare<[string], { name: string; unique: number; partial: number }>(INDEXES)
    .all(table);
  const columns = database.prepare<[string], string | null>(INDEX_COLUMNS).pluck();
  return indexes.map((index) => ({
    name: index.name,
    unique: index.unique !== 0,
    partial: index.partial !== 0,
    columns: columns.all(index.name),
  }));
}
