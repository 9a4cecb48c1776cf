import type { Database } from 'better-sqlite3';
import type { ExecutorConfiguration } from './messages.ts';
import type { OperationStream } from './operation-stream.ts';

/** Runs `read`, which keeps the values of all rows of a result in memory. */
export type ReadWhole = <Rows>(read: () => Rows) => Rows;

/** The surroundings of a running operation. */
export interface OperationContext {
  readonly database: Database;
  readonly configuration: ExecutorConfiguration;
  /** Exchanges chunks of text with the server. */
  readonly stream: OperationStream;
  /** Throws when the file at the path of the database is no longer the open one. */
  readonly checkFile: () => void;
  /** Absent when the operation is repeated, because it exceeded the memory limit in `readWhole`. */
  readonly readWhole: ReadWhole | undefined;
}

/** Performs an operation. Its result and its errors are sent to the server. */
export type OperationHandler<Input, Output> = (
  input: Input,
  context: OperationContext,
) => Output | Promise<Output>;

/** A handler for each operation. */
export type OperationHandlers<Operations> = {
  readonly [Name in keyof Operations]: Operations[Name] extends {
    readonly input: infer Input;
    readonly output: infer Output;
  }
    ? OperationHandler<Input, Output>
    : never;
};
