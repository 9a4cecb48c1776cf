import type { SqliteLimits } from '../limits.ts';

/** The messages on the IPC channel between the server and a query process, all JSON. */

export interface ReadQueryInput {
  readonly query: string;
  /** Parameters by position or by name, as the client sent them. */
  readonly params?: unknown;
  /** Maximum number of rows; at most the configured maximum, which is the default. */
  readonly limit?: number;
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

/** The operations of a query process. */
export interface Operations {
  readonly 'read-query': { readonly input: ReadQueryInput; readonly output: QueryResult };
  readonly 'list-tables': { readonly input: ListTablesInput; readonly output: TableList };
  readonly 'describe-table': {
    readonly input: { readonly name: string };
    readonly output: TableDescription;
  };
  readonly 'explain-query': { readonly input: ExplainQueryInput; readonly output: QueryPlan };
}

export type OperationName = keyof Operations;

export type ExecutorRequest = {
  readonly [Name in OperationName]: {
    readonly id: number;
    readonly operation: Name;
    readonly input: Operations[Name]['input'];
  };
}[OperationName];

export type ExecutorReply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'result'; readonly id: number; readonly output: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly message: string };

/** The configuration of a query process, its only argument, as JSON. */
export interface ExecutorConfiguration extends SqliteLimits {
  readonly path: string;
  readonly parentPid: number;
}

/** Line on stderr of a process that ends itself because of its memory limit. */
export const MEMORY_LIMIT_NOTICE = 'memory limit reached';
