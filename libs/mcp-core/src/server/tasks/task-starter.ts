import { missingCapabilityError } from '../../era/client-can.ts';
import { MetaKey } from '../../era/meta-keys.ts';
import { capabilityOf } from '../input/input-requests.ts';
import type { EraPort } from '../requests/era-port.ts';
import type { RunningTask } from './running-task.ts';
import type { TaskEngine } from './task-engine.ts';
import type { TaskHandle, TaskOptions, TaskRequest, TaskStarter } from './task-handle.ts';

/** Creates a task for a call. */
export async function startTask(
  engine: TaskEngine,
  request: TaskRequest,
  { ttlMs }: TaskOptions,
): ReturnType<TaskStarter['start']> {
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
}

/** Returns the handle of a task that its client polls. */
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

/** Returns the handle of a task whose session is notified of each status and of progress. */
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
