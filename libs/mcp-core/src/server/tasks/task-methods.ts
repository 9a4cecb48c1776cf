import { missingCapabilityError } from '../../era/client-can.ts';
import { MetaKey, metaOf } from '../../era/meta-keys.ts';
import { untilAborted } from '../../jsonrpc/bounded-waits.ts';
import { isJsonObject } from '../../jsonrpc/envelope.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { Implementation } from '../../protocol/implementation.ts';
import { ErrorCode, ProtocolError } from '../../protocol/errors.ts';
import { isEnded } from '../../protocol/tasks.ts';
import type { JsonSchema } from '../../protocol/tools.ts';
import { readInputResponse } from '../input/read-input-response.ts';
import { readCursor, readString } from '../requests/read-params.ts';
import type { ActiveRequest } from '../requests/active-request.ts';
import type { TaskMethod } from './task-method-names.ts';
import type { TaskEngine } from './task-engine.ts';
import type { TaskRecord } from './task-store.ts';

export interface TaskMethodsContext {
  readonly engine: TaskEngine;
  readonly info: Implementation;
  readonly outputSchemaOf: (toolName: string) => JsonSchema | undefined;
}

/** Serves one of the `tasks/` methods. */
export async function serveTaskMethod(
  method: TaskMethod,
  context: TaskMethodsContext,
  request: ActiveRequest,
): Promise<JsonObject> {
  const { engine } = context;
  switch (method) {
    case 'tasks/get':
      return { ...(await engine.find(readTaskId(request), principalOf(request))) };
    case 'tasks/update':
      return updateTask(engine, request);
    case 'tasks/cancel':
      return cancelTask(engine, request);
    case 'tasks/result':
      return taskResult(context, request);
    case 'tasks/list':
      return listTasks(engine, request);
  }
}

/** @throws ProtocolError -32602; -32021 when the request did not declare the extension */
function readTaskId({ port, params }: ActiveRequest): string {
  if (port.codec.tasks === 'extension' && !port.client.can('tasks'))
    throw missingCapabilityError('tasks');
  return readString(params, 'taskId');
}

function principalOf({ auth }: ActiveRequest): string | undefined {
  return auth?.principal;
}

/** Serves `tasks/update`; ignores input responses that are late or repeated. */
async function updateTask(engine: TaskEngine, request: ActiveRequest): Promise<JsonObject> {
  const taskId = readTaskId(request);
  const { inputResponses } = request.params;
  if (!isJsonObject(inputResponses))
    throw new ProtocolError(
      ErrorCode.invalidParams,
      'Invalid params: inputResponses must be an object',
    );
  const task = await engine.findRunning(taskId, principalOf(request));
  const { codec } = request.port;
  task?.inputRequests.respond(
    Object.keys(inputResponses),
    (key) => (inputRequest) =>
      readInputResponse(inputRequest, inputResponses[key] as JsonObject, codec),
  );
  return {};
}

/** Serves `tasks/cancel`. The extension acknowledges every cancellation; a core task that has ended cannot be cancelled. */
async function cancelTask(engine: TaskEngine, request: ActiveRequest): Promise<JsonObject> {
  const taskId = readTaskId(request);
  const task = await engine.findRunning(taskId, principalOf(request));
  const hasEffect = task?.cancel() ?? false;
  if (request.port.codec.tasks === 'extension') return {};
  const record = await engine.find(taskId, principalOf(request));
  if (!hasEffect)
    throw new ProtocolError(
      ErrorCode.invalidParams,
      `The task cannot be cancelled: it is ${record.status}`,
    );
  return { ...record };
}

/** Serves `tasks/result`: waits for the end of the task, and sends its input requests meanwhile. */
async function taskResult(
  { engine, info, outputSchemaOf }: TaskMethodsContext,
  request: ActiveRequest,
): Promise<JsonObject> {
  const taskId = readTaskId(request);
  const related = { [MetaKey.relatedTask]: { taskId } };
  const record =
    (await untilEnded(engine, request, related)) ??
    (await engine.find(taskId, principalOf(request)));
  const { result } = record;
  if (result === undefined) throw endedWithoutResult(record);
  const encoded = request.port.codec.encodeResult('tools/call', result, {
    serverInfo: info,
    outputSchema: outputSchemaOf(record.toolName),
  });
  return { ...encoded, _meta: { ...metaOf(encoded), ...related } };
}

/** Resolves with the record of the ended task, or with `undefined` when it had ended before. */
async function untilEnded(
  engine: TaskEngine,
  request: ActiveRequest,
  meta: JsonObject,
): Promise<TaskRecord | undefined> {
  const task = await engine.findRunning(readTaskId(request), principalOf(request));
  if (task === undefined) return undefined;
  const { port, signal } = request;
  task.inputRequests.sendWith({
    signal,
    ask: (inputRequest) =>
      port.ask({
        ...inputRequest,
        signal: AbortSignal.any([inputRequest.signal, signal]),
        relatedTo: request.request.id,
        meta,
      }),
  });
  return untilAborted(task.ended, signal);
}

function endedWithoutResult({ status, statusMessage, error }: TaskRecord): ProtocolError {
  if (error !== undefined)
    return new ProtocolError(error.code, error.message, { data: error.data });
  return new ProtocolError(
    ErrorCode.internalError,
    isEnded(status)
      ? `The task has no result: ${statusMessage ?? status}`
      : 'The task does not run in this process',
  );
}

/** Serves `tasks/list`, which needs a principal: tasks of clients without one cannot be distinguished. */
async function listTasks(engine: TaskEngine, request: ActiveRequest): Promise<JsonObject> {
  const principal = principalOf(request);
  if (principal === undefined)
    throw new ProtocolError(
      ErrorCode.methodNotFound,
      'Method not found: tasks/list needs an authenticated client',
    );
  const { records, nextCursor } = await engine.list(principal, readCursor(request.params));
  return { tasks: records, ...(nextCursor === undefined ? {} : { nextCursor }) };
}
