import { missingCapabilityError } from '../../era/client-can.ts';
import { MetaKey } from '../../era/meta-keys.ts';
import { isJsonObject } from '../../jsonrpc/envelope.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { ErrorCode, ProtocolError } from '../../protocol/errors.ts';
import type { TaskSupport } from '../../protocol/tasks.ts';
import { capabilityOf } from '../input/input-requests.ts';
import type { EraPort } from '../requests/era-port.ts';
import type { RunningTask } from './running-task.ts';
import type { TaskEngine } from './task-engine.ts';
import type { TaskAdmission, TaskHandle, TaskRequest, TaskStarter } from './task-handle.ts';

const NEVER: TaskAdmission = { kind: 'never' };
const LATER: TaskAdmission = { kind: 'later' };

/** Creates the starter of an engine's tasks. */
export function createTaskStarter(engine: TaskEngine): TaskStarter {
  return {
    admit: ({ codec, client }, params, support) => {
      if (codec.tasks === 'core') return admitCore(params, support);
      if (support === 'never' || codec.tasks === 'none') return NEVER;
      if (client.can('tasks')) return LATER;
      if (support === 'required') throw missingCapabilityError('tasks');
      return NEVER;
    },
    start: async (request, { ttlMs }) => {
      const task = await engine.start({
        principal: request.auth?.principal,
        toolName: String(request.params.name),
        ttlMs,
      });
      return {
        handle:
          request.port.codec.tasks === 'core'
            ? coreTask(task, request)
            : extensionTask(task, request.port),
        created: { ...task.record },
      };
    },
  };
}

/** @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#tool-level-negotiation */
function admitCore({ task }: JsonObject, support: TaskSupport): TaskAdmission {
  if (task === undefined) {
    if (support === 'required')
      throw new ProtocolError(ErrorCode.methodNotFound, 'This tool must be called as a task');
    return NEVER;
  }
  if (support === 'never')
    throw new ProtocolError(ErrorCode.methodNotFound, 'This tool cannot be called as a task');
  const ttl = isJsonObject(task) ? task.ttl : task;
  const isValid = isJsonObject(task) && (ttl === undefined || typeof ttl === 'number');
  if (!isValid)
    throw new ProtocolError(
      ErrorCode.invalidParams,
      'Invalid params: task must be an object, and its ttl a number of milliseconds',
    );
  return { kind: 'now', options: typeof ttl === 'number' ? { ttlMs: ttl } : {} };
}

/** The handle of a task that its client polls. */
function extensionTask(task: RunningTask, port: EraPort): TaskHandle {
  return {
    signal: task.signal,
    ask: (inputRequest) => {
      checkClient(port, inputRequest);
      return task.inputRequests.ask(inputRequest);
    },
    progress: ({ message }) => {
      if (message !== undefined) task.report(message);
    },
    cancel: () => void task.cancel(),
    settle: (outcome) => task.settle(outcome),
  };
}

/** The handle of a task whose session is notified of each status and of progress. */
function coreTask(task: RunningTask, request: TaskRequest): TaskHandle {
  const { port } = request;
  const { taskId } = task.record;
  const reporter = request.openProgress({ [MetaKey.relatedTask]: { taskId } });
  task.onChanged((record) => {
    void port.notify('notifications/tasks/status', port.codec.encodeTask(record));
  });
  task.signal.addEventListener('abort', () => reporter.silence(), { once: true });
  const handle = extensionTask(task, port);
  return {
    ...handle,
    progress: (update) => {
      handle.progress(update);
      reporter.report(update);
    },
    settle: (outcome) => {
      reporter.finish();
      handle.settle(outcome);
    },
  };
}

/** @throws ProtocolError -32021 */
function checkClient(
  { client, codec }: EraPort,
  { method, params }: Parameters<TaskHandle['ask']>[0],
): void {
  const capability = capabilityOf(method, params);
  if (!client.can(capability) || codec.encodeInputRequest(method, params) === undefined)
    throw missingCapabilityError(capability);
}
