import type { JsonObject, JsonRpcErrorObject } from '../jsonrpc/messages.ts';

/**
 * Name of the extension that gives modern peers tasks.
 * @see https://github.com/modelcontextprotocol/ext-tasks
 */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** Status of a task. `completed`, `failed` and `cancelled` are final. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** Whether calls of a tool may, or must, become tasks. */
export type TaskSupport = 'never' | 'optional' | 'required';

/**
 * A tool call that continues after its request has ended. The shapes are those of the extension;
 * codecs convert them to the core tasks of 2025-11-25.
 */
export interface Task {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly statusMessage?: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601. */
  readonly lastUpdatedAt: string;
  /** Milliseconds for which the task is kept after its creation; null means without limit. */
  readonly ttlMs: number | null;
  readonly pollIntervalMs?: number;
}

/** A task with the data of its status: the open input requests, the result, or the error. */
export interface DetailedTask extends Task {
  readonly inputRequests?: JsonObject;
  readonly result?: JsonObject;
  readonly error?: JsonRpcErrorObject;
}

/** Whether a status is final. */
export function isEnded(status: TaskStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}
