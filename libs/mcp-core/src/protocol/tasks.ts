import type { JsonObject, JsonRpcErrorObject } from '../jsonrpc/messages.ts';

/** The extension under which modern peers have tasks. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** A tool call that goes on after its request was answered. The shapes are those of the extension; a codec turns them into the core tasks of 2025-11-25. */
export interface Task {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly statusMessage?: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601. */
  readonly lastUpdatedAt: string;
  /** How long the task is kept after its creation, in milliseconds; null: without limit. */
  readonly ttlMs: number | null;
  readonly pollIntervalMs?: number;
}

/** A task with what its status brings: the open questions, the result, or the error. */
export interface DetailedTask extends Task {
  readonly inputRequests?: JsonObject;
  readonly result?: JsonObject;
  readonly error?: JsonRpcErrorObject;
}
