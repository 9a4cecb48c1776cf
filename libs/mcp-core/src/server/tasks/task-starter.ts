import { missingCapabilityError } from '../../era/client-can.ts';
import { MetaKey } from '../../era/meta-keys.ts';
import { isJsonObject } from '../../jsonrpc/envelope.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { ErrorCode, ProtocolError } from '../../protocol/errors.ts';
import type { TaskSupport } from '../../protocol/tasks.ts';
import type { EraPort } from '../requests/era-port.ts';
import type { TaskHandle, TaskAdmission, TaskStarter } from './task-handle.ts';
import { capabilityOf } from '../input/input-requests.ts';
import type { ActiveRequest } from '../requests/active-request.ts';
import type { RunningTask } from './running-task.ts';
import type { TaskEngine } from './task-engine.ts';

const NEVER: TaskAdmission = { kind: 'never' };
const LATER: TaskAdmission = { kind: 'later' };

/** Turns tool calls into tasks of an engine. */
export function createTaskStarter(engine: TaskEngine): TaskStarter {
  return {
    admit: ({ codec, client }, params, support) => {
      if (codec.tasks === 'core') return admitCore(params, support);
      if (support === 'never' || codec.tasks === 'none') return NEVER;
      if (client.can('tasks')) return LATER;
      if (support === 'required') throw missingCapabilityError('tasks');
      return NEVER;
    },
    start: async (served, { ttlMs }) => {
      const task = await engine.start({
        principal: served.auth?.principal,
        toolName: String(served.params.name),
        ttlMs,
      });
      return {
        live:
          served.port.codec.tasks === 'core'
            ? coreTask(task, served)
            : extensionTask(task, served.port),
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

/** Its client learns everything by asking. */
function extensionTask(task: RunningTask, port: EraPort): TaskHandle {
  return {
    signal: task.signal,
    ask: (question) => {
      checkClient(port, question);
      return task.questions.ask(question);
    },
    progress: ({ message }) => {
      if (message !== undefined) task.report(message);
    },
    cancel: () => void task.cancel(),
    settle: (outcome) => task.settle(outcome),
  };
}

/** The session of its client hears of each status and, as long as the task runs, of its progress. */
function coreTask(task: RunningTask, served: ActiveRequest): TaskHandle {
  const { port } = served;
  const { taskId } = task.record;
  const reporter = served.openProgress({ [MetaKey.relatedTask]: { taskId } });
  task.onChanged = (record) => {
    void port.notify('notifications/tasks/status', port.codec.encodeTask(record));
  };
  task.signal.addEventListener('abort', () => reporter.silence(), { once: true });
  const live = extensionTask(task, port);
  return {
    ...live,
    progress: (update) => {
      live.progress(update);
      reporter.report(update);
    },
    settle: (outcome) => {
      reporter.finish();
      live.settle(outcome);
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
