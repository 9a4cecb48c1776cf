import type { SqliteLimits } from '../limits.ts';

/**
 * A message of the server to a query process. An operation may exchange chunks of text with the
 * server while it runs: each side sends a chunk only after the other has asked for it.
 */
export type ServerMessage =
  | ExecutorRequest
  /** The next chunk that the operation asked for. */
  | { readonly kind: 'chunk'; readonly id: number; readonly chunk: string }
  /** No chunks are left. */
  | { readonly kind: 'end'; readonly id: number }
  /** The server cannot go on: the operation fails and undoes its changes. */
  | { readonly kind: 'abort'; readonly id: number }
  /** The last chunk of the operation was consumed. */
  | { readonly kind: 'pull'; readonly id: number }
  /** The process closes its connection and ends. */
  | { readonly kind: 'close' };

export interface ExecutorRequest {
  readonly kind: 'request';
  readonly id: number;
  readonly operation: string;
  readonly input: unknown;
  /** Whether the operation reads rows one by one; default false. */
  readonly savesMemory?: boolean;
}

/** A message of a query process. */
export type ExecutorMessage =
  | { readonly kind: 'ready' }
  | ExecutorReply
  | { readonly kind: 'chunk'; readonly id: number; readonly chunk: string }
  | { readonly kind: 'pull'; readonly id: number }
  /** The commit begins: from here on the changes may be in the database. */
  | { readonly kind: 'committing'; readonly id: number };

/** The end of an operation. */
export type ExecutorReply =
  | { readonly kind: 'result'; readonly id: number; readonly output: unknown }
  | {
      readonly kind: 'failure';
      readonly id: number;
      readonly message: string;
      /** Code of SQLite, such as SQLITE_BUSY. */
      readonly code?: string;
    };

/** The configuration of a query process, its only argument, as JSON. */
export interface ExecutorConfiguration extends SqliteLimits {
  readonly path: string;
  readonly parentPid: number;
  /** Whether the process writes; otherwise its connection is read-only. */
  readonly isWriter: boolean;
  /**
   * Whether the watchdog starts with the first request instead of with the process. The start of the
   * process then takes 40 % less CPU time, and the memory limit is not enforced in the first 30 ms of
   * the first request.
   */
  readonly isSpare: boolean;
}

/** Line on stderr of a process that ends itself because of its memory limit. */
export const MEMORY_LIMIT_NOTICE = 'memory limit reached';

/** The same line, when all rows of a result were being read into memory. */
export const WHOLE_RESULT_NOTICE = `${MEMORY_LIMIT_NOTICE} by a whole result`;

/** File descriptor of a query process that is connected to the server. */
export const CHANNEL_DESCRIPTOR = 3;
