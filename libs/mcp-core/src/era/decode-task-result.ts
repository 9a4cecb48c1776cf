import { isJsonObject } from '../jsonrpc/envelope.ts';
import type { JsonObject } from '../jsonrpc/messages.ts';
import type { DecodedResult } from './codec.ts';
import { decodeTask, type TaskKind } from './task-codec.ts';

/**
 * Decodes the result of a call that became a task; `undefined` for a kind of task that the revision
 * lacks.
 */
export function decodeCreatedTask(
  method: string,
  result: JsonObject,
  kind: TaskKind,
): DecodedResult | undefined {
  const isTask =
    method === 'tools/call' &&
    (kind === 'extension'
      ? result.resultType === 'task'
      : kind === 'core' && isJsonObject(result.task));
  if (!isTask) return undefined;
  const task = decodeTask(isJsonObject(result.task) ? result.task : result, kind, 'summary');
  return task === undefined
    ? { kind: 'invalid', detail: 'tools/call: the task needs a taskId and a status' }
    : { kind: 'task', task };
}

/** Decodes the result of `tasks/get`. */
export function decodeDetailedTask(result: JsonObject, kind: TaskKind): DecodedResult {
  const task = decodeTask(result, kind, 'details');
  return task === undefined
    ? {
        kind: 'invalid',
        detail: 'tasks/get: the task needs a taskId, a status and the members of that status',
      }
    : { kind: 'complete', result: { ...task } };
}

/** Decodes the result of `tasks/list`, whose tasks are a list of objects. */
export function decodeTaskList(result: JsonObject, kind: TaskKind): DecodedResult {
  const tasks = (result.tasks as readonly JsonObject[]).map((task) =>
    decodeTask(task, kind, 'summary'),
  );
  return tasks.includes(undefined)
    ? { kind: 'invalid', detail: 'tasks/list: each task needs a taskId and a status' }
    : { kind: 'complete', result: { ...result, tasks } };
}

/** Converts a listed tool of 2025-11-25 to the neutral model. */
export function decodeTaskSupport(tool: JsonObject): JsonObject {
  if (tool.execution === undefined) return tool;
  const { execution, ...others } = tool;
  const { taskSupport } = isJsonObject(execution) ? execution : {};
  return taskSupport === 'optional' || taskSupport === 'required'
    ? { ...others, task: taskSupport }
    : others;
}
