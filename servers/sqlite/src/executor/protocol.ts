import type { SqliteLimits } from '../limits.ts';

/** Everything that crosses the IPC channel between the server and a query process. All of it is JSON. */

export interface ReadQueryInput {
  readonly query: string;
  /** By position or by name; as the client sent it. */
  readonly params?: unknown;
  /** Rows, at most the configured maximum, which is the default. */
  readonly limit?: number;
}

/** `int64`: at least one value outside ±2^53, given as a decimal string. Absent: no value but NULL was returned. */
export type ColumnType = 'integer' | 'int64' | 'real' | 'text' | 'blob' | 'mixed';

export interface ResultColumn {
  readonly name: string;
  readonly type?: ColumnType;
}

export interface QueryResult {
  /** In query order; names may repeat. */
  readonly columns: readonly ResultColumn[];
  /** One array per row, in the order of `columns`. */
  readonly rows: readonly (readonly unknown[])[];
  readonly rowCount: number;
  /** More rows exist than were returned. */
  readonly truncated: boolean;
  readonly elapsedMs: number;
}

export type TableType = 'table' | 'view' | 'virtual' | 'shadow';

export interface TableSummary {
  readonly name: string;
  readonly type: TableType;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** Why the columns of a broken view cannot be listed. */
  readonly error?: string;
}

export interface ListTablesInput {
  readonly includeViews: boolean;
  /** As for GLOB: `*` and `?`; letter case counts. */
  readonly pattern?: string;
  /** Name of the last table of the page before. */
  readonly after?: string;
}

export interface TableList {
  readonly tables: readonly TableSummary[];
  /** More tables exist than fit. */
  readonly truncated: boolean;
  /** Given as `cursor` to get the tables after these. */
  readonly nextCursor?: string;
}

export interface TableColumn {
  readonly name: string;
  /** As declared; may be empty. */
  readonly type: string;
  readonly notNull: boolean;
  /** The default's SQL expression. */
  readonly default: string | null;
  readonly generated: boolean;
}

export interface ForeignKey {
  readonly columns: readonly string[];
  readonly table: string;
  /** Columns of the other table; empty means its primary key. */
  readonly references: readonly string[];
  readonly onUpdate: string;
  readonly onDelete: string;
}

export interface TableIndex {
  readonly name: string;
  readonly unique: boolean;
  readonly partial: boolean;
  /** `null` stands for an expression. */
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

/** What a query process can be asked to do. */
export interface Operations {
  readonly 'read-query': { readonly input: ReadQueryInput; readonly output: QueryResult };
  readonly 'list-tables': { readonly input: ListTablesInput; readonly output: TableList };
  readonly 'describe-table': {
    readonly input: { readonly name: string };
    readonly output: TableDescription;
  };
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

/** Given to the process as its only argument, as JSON. */
export interface ExecutorConfiguration extends SqliteLimits {
  readonly path: string;
  readonly parentPid: number;
}

/** Written to stderr by a process that ends itself because of its memory limit. */
export const MEMORY_LIMIT_NOTICE = 'memory limit reached';
