import { isJsonObject } from '../jsonrpc/envelope.ts';
import type { JsonObject } from '../jsonrpc/messages.ts';
import type { ServerCapabilities } from '../protocol/capabilities.ts';
import type { ContentBlock } from '../protocol/content.ts';
import {
  TASKS_EXTENSION,
  type DetailedTask,
  type Task,
  type TaskStatus,
} from '../protocol/tasks.ts';

/**
 * How a tool call becomes a task: never; at the client's request (`core`, 2025-11-25); or by the
 * server's decision (`extension`).
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks
 * @see https://github.com/modelcontextprotocol/ext-tasks
 */
export type TaskKind = 'none' | 'core' | 'extension';

/** Members that the extension inlines into a task, encoded for the wire. */
export interface TaskDetails {
  readonly inputRequests?: JsonObject;
  readonly result?: JsonObject;
  readonly error?: JsonObject;
}

const STATUSES: ReadonlySet<unknown> = new Set<TaskStatus>([
  'working',
  'input_required',
  'completed',
  'failed',
  'cancelled',
]);

/**
 * Encodes a task. A core task omits its details, and has status `failed` when its tool has failed.
 */
export function encodeTask(task: DetailedTask, kind: TaskKind, details: TaskDetails): JsonObject {
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs } = task;
  if (kind === 'extension') {
    return {
      taskId,
      status,
      ...optional({ statusMessage }),
      createdAt,
      lastUpdatedAt,
      ttlMs,
      ...optional({ pollIntervalMs }),
      ...details,
    };
  }
  const hasFailed = status === 'completed' && task.result?.isError === true;
  const failure = hasFailed
    ? { status: 'failed', statusMessage: statusMessage ?? textOf(task.result) }
    : { status, ...optional({ statusMessage }) };
  return {
    taskId,
    ...failure,
    createdAt,
    lastUpdatedAt,
    ttl: ttlMs,
    ...optional({ pollInterval: pollIntervalMs }),
  };
}

/** Encodes the result of a call that became a task. */
export function encodeCreatedTask(task: DetailedTask, kind: TaskKind): JsonObject {
  const encoded = encodeTask(task, kind, {});
  return kind === 'extension' ? { resultType: 'task', ...encoded } : { task: encoded };
}

/**
 * Encodes the task capability of a server; `isListed`: whether a core client may list its tasks.
 */
export function encodeTaskCapability(
  capabilities: ServerCapabilities,
  kind: TaskKind,
  isListed: boolean,
): ServerCapabilities {
  const { extensions = {}, ...rest } = capabilities;
  if (kind === 'extension' || !Object.hasOwn(extensions, TASKS_EXTENSION)) return capabilities;
  const { [TASKS_EXTENSION]: _tasks, ...others } = extensions;
  const kept = Object.keys(others).length === 0 ? rest : { ...rest, extensions: others };
  if (kind === 'none') return kept;
  return {
    ...kept,
    tasks: { ...(isListed ? { list: {} } : {}), cancel: {}, requests: { tools: { call: {} } } },
  };
}

/** Whether tool calls of a server with these capabilities can become tasks. */
export function hasTasks({ tasks, extensions }: ServerCapabilities, kind: TaskKind): boolean {
  if (kind === 'extension') return extensions?.[TASKS_EXTENSION] !== undefined;
  const requests = isJsonObject(tasks?.requests) ? tasks.requests : {};
  return kind === 'core' && isJsonObject(requests.tools) && requests.tools.call !== undefined;
}

/** Returns `undefined` when the value is not a task. */
export function decodeTask(
  value: JsonObject,
  kind: TaskKind,
  extent: 'summary' | 'details',
): DetailedTask | undefined {
  if (typeof value.taskId !== 'string' || !STATUSES.has(value.status)) return undefined;
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt } = value;
  const [ttl, interval] =
    kind === 'extension' ? [value.ttlMs, value.pollIntervalMs] : [value.ttl, value.pollInterval];
  const task = {
    taskId,
    status: status as TaskStatus,
    ...(typeof statusMessage === 'string' ? { statusMessage } : {}),
    createdAt: textOrNone(createdAt),
    lastUpdatedAt: textOrNone(lastUpdatedAt),
    ttlMs: typeof ttl === 'number' ? ttl : null,
    ...(typeof interval === 'number' ? { pollIntervalMs: interval } : {}),
  } satisfies Task;
  return kind === 'extension' && extent === 'details' ? withDetails(task, value) : task;
}

function textOrNone(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Returns `undefined` when the details that the status requires are missing. */
function withDetails(
  task: Task,
  { inputRequests, result, error }: JsonObject,
): DetailedTask | undefined {
  switch (task.status) {
    case 'input_required':
      return { ...task, inputRequests: isJsonObject(inputRequests) ? inputRequests : {} };
    case 'completed':
      return isJsonObject(result) ? { ...task, result } : undefined;
    case 'failed':
      return { ...task, error: readError(error, task) };
    default:
      return task;
  }
}

function readError(
  error: unknown,
  { statusMessage = 'The task failed' }: Task,
): NonNullable<DetailedTask['error']> {
  if (!isJsonObject(error) || typeof error.code !== 'number')
    return { code: -32603, message: statusMessage };
  const message = typeof error.message === 'string' ? error.message : statusMessage;
  return { code: error.code, message, ...('data' in error ? { data: error.data } : {}) };
}

function textOf(result: JsonObject): string {
  const blocks = result.content as readonly ContentBlock[];
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

function optional(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
