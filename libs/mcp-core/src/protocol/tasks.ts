import type { JsonObject, JsonRpcErrorObject } from '../jsonrpc/messages.ts';

/** The extension under which modern peers have tasks. @see https://github.com/modelcontextprotocol/ext-tasks */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** Whether a tool's calls may, or must, go on as tasks. */
export type TaskSupport = 'never' | 'optional' | 'required';

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

/** Whether a task has ended; it never changes again. */
export function isEnded(status: TaskStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}
