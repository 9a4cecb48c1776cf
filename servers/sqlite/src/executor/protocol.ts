import type { WriteKind } from '../guard/check-write.ts';
import type { ExportRowsInput, ExportRowsOutput } from './export/export-protocol.ts';
import type { ImportRowsInput, ImportRowsOutput } from './import/import-protocol.ts';

/** Inputs and outputs of the operations that the server requests from its query processes, all JSON. */

export interface ReadQueryInput {
  readonly query: string;
  /** Parameters by position or by name, as the client sent them. */
  readonly params?: unknown;
  /** Maximum number of rows; at most the configured maximum, which is the default. */
  readonly limit?: number;
  /** Number of rows to leave out at the start; default 0. */
  readonly skip?: number;
}

export interface ReadPageInput extends ReadQueryInput {
  /** State of the file at the first page; absent: this is the first page. */
  readonly firstState?: string;
}

export interface QueryPage {
  readonly rowCount: number;
  readonly truncated: boolean;
  /** State of the file at the first page, for the next one. */
  readonly firstState: string;
  /** Whether the database was written since the first page. */
  readonly hasChanged: boolean;
  /**
   * The `QueryResult` as JSON without its closing brace, so that the server can add members. The query
   * process writes it before it reads the next page.
   */
  readonly body: readonly Uint8Array[];
  /** Frees the memory of the body, which nobody may read afterwards. Only the server has it: `decodeMessage` adds it to a body without other messages in its memory. */
  readonly release?: () => void;
}

/**
 * The types of a column. `int64`: at least one value is outside ±2^53 and returned as a decimal
 * string. Absent when every value is NULL.
 */
export type ColumnType = 'integer' | 'int64' | 'real' | 'text' | 'blob' | 'mixed';

export interface ResultColumn {
  readonly name: string;
  readonly type?: ColumnType;
}

export interface QueryResult {
  /** Columns in query order; names may repeat. */
  readonly columns: readonly ResultColumn[];
  /** Rows as arrays, in the order of `columns`. */
  readonly rows: readonly (readonly unknown[])[];
  readonly rowCount: number;
  /** Whether more rows exist. */
  readonly truncated: boolean;
  readonly elapsedMs: number;
}

export type TableType = 'table' | 'view' | 'virtual' | 'shadow';

export interface TableSummary {
  readonly name: string;
  /** Shadow tables are not listed. */
  readonly type: Exclude<TableType, 'shadow'>;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** Number of rows of a table: exact up to 1000, then an estimate; absent when nothing is known. */
  readonly rowEstimate?: number;
  /** Error that prevents the list of columns of a broken view. */
  readonly error?: string;
}

export interface ListTablesInput {
  readonly includeViews: boolean;
  /** Pattern with `*` and `?` as for GLOB; case-sensitive. */
  readonly pattern?: string;
  /** Name of the last table of the previous page. */
  readonly after?: string;
}

export interface TableList {
  readonly tables: readonly TableSummary[];
  /** Whether more tables exist than fit. */
  readonly truncated: boolean;
  /** Cursor for the next page. */
  readonly nextCursor?: string;
}

export interface TableColumn {
  readonly name: string;
  /** Declared type; may be empty. */
  readonly type: string;
  readonly notNull: boolean;
  /** SQL expression of the default. */
  readonly default: string | null;
  readonly generated: boolean;
}

export interface ForeignKey {
  readonly columns: readonly string[];
  readonly table: string;
  /** Columns of the referenced table; empty: its primary key. */
  readonly references: readonly string[];
  readonly onUpdate: string;
  readonly onDelete: string;
}

export interface TableIndex {
  readonly name: string;
  readonly unique: boolean;
  readonly partial: boolean;
  /** Columns; `null` stands for an expression. */
  readonly columns: readonly (string | null)[];
}

export interface TableDescription {
  readonly name: string;
  readonly type: TableType;
  readonly columns: readonly TableColumn[];
  readonly primaryKey: readonly string[];
  readonly foreignKeys: readonly ForeignKey[];
  readonly indexes: readonly TableIndex[];
  readonly triggers: readonly { readonly name: string; readonly sql: string }[];
  readonly sql: string;
}

export interface ExplainQueryInput {
  readonly query: string;
  /** Parameters as for a query; absent: all are NULL. */
  readonly params?: unknown;
}

/** A step of a query plan. */
export interface PlanStep {
  /** The step in the words of SQLite. */
  readonly detail: string;
  /** The steps below, if any. */
  readonly steps?: readonly PlanStep[];
}

export interface QueryPlan {
  readonly plan: readonly PlanStep[];
  /** Names of the indexes that the statement opens, in alphabetical order. */
  readonly usesIndex: readonly string[];
  /** Tables that are read row by row, by their names or aliases in the statement. */
  readonly fullScans: readonly string[];
}

export interface WriteStatement {
  readonly query: string;
  /** Parameters by position or by name, as the client sent them. */
  readonly params?: unknown;
}

export interface ExecuteStatementsInput {
  /** Statements of one transaction, in order. */
  readonly statements: readonly WriteStatement[];
  /** Kinds of statements that are allowed. */
  readonly kinds: readonly WriteKind[];
  /** Whether errors name the index of their statement. */
  readonly isBatch: boolean;
  /** Number of rows that the user saw, by table. A table that has more rows by now fails the call. */
  readonly confirmed?: readonly { readonly table: string; readonly rows: number }[];
}

/** The outcome of one statement. Rows of RETURNING are limited like those of a query. */
export interface StatementResult extends Partial<
  Pick<QueryResult, 'columns' | 'rows' | 'rowCount' | 'truncated'>
> {
  /** Kind and name of the created, changed or dropped object. */
  readonly object?: { readonly type: string; readonly name: string };
  /** Number of inserted, updated or deleted rows, without those of foreign keys; those of triggers count for a view only. */
  readonly affectedRows?: number;
  /** Rowid of the last inserted row; a decimal string beyond ±(2^53 - 1). */
  readonly lastInsertRowid?: number | string;
}

/** The definitions of tables and views. */
export interface SchemaSql {
  /** `CREATE` statements in order of name. */
  readonly sql: string;
  /** Whether more tables exist than fit. */
  readonly truncated: boolean;
}

/** A table or view with the first of its rows. */
export interface TableContents extends TableDescription {
  readonly rowCount: number;
  /** Whether there are more than `rowCount` rows, which is 1,000,000 then. */
  readonly hasMoreRows: boolean;
  readonly sampleRows: Pick<QueryResult, 'columns' | 'rows'>;
}

/** The version of a database as one connection sees it. */
export interface DatabaseVersion {
  /** Name of the connection. */
  readonly connection: string;
  /** Changes when another connection has changed the database; comparable within a connection. */
  readonly data: number;
  /** Changes with the schema. */
  readonly schema: number;
}

/** The operations of a reading process. */
export interface ReadOperations {
  readonly 'read-query': { readonly input: ReadQueryInput; readonly output: QueryResult };
  readonly 'read-page': { readonly input: ReadPageInput; readonly output: QueryPage };
  readonly 'list-tables': { readonly input: ListTablesInput; readonly output: TableList };
  readonly 'describe-table': {
    readonly input: { readonly name: string };
    readonly output: TableDescription;
  };
  readonly 'explain-query': { readonly input: ExplainQueryInput; readonly output: QueryPlan };
  readonly 'schema-sql': {
    readonly input: { readonly maxBytes: number };
    readonly output: SchemaSql;
  };
  readonly 'table-names': { readonly input: object; readonly output: readonly string[] };
  readonly 'read-table': {
    readonly input: { readonly name: string };
    /** `null`: there is no such table or view. */
    readonly output: TableContents | null;
  };
  readonly 'database-version': { readonly input: object; readonly output: DatabaseVersion };
  /** Its chunks are the text of the rows. */
  readonly 'export-rows': { readonly input: ExportRowsInput; readonly output: ExportRowsOutput };
  readonly 'count-rows': {
    readonly input: { readonly table: string };
    /** `null`: there is no such table or view. */
    readonly output: number | null;
  };
}

/** The operations of the writing process. */
export interface WriteOperations {
  readonly 'execute-statements': {
    readonly input: ExecuteStatementsInput;
    readonly output: readonly StatementResult[];
  };
  /** Its chunks are the bytes of the data, a character for each byte. */
  readonly 'import-rows': { readonly input: ImportRowsInput; readonly output: ImportRowsOutput };
  /** Rolls back what a killed process left behind. */
  readonly recover: { readonly input: object; readonly output: null };
}
