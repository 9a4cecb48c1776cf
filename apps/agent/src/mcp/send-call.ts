import { LocalError, type CallToolResult } from '@signalbox/mcp-core';
import type { RequestOptions } from '@signalbox/mcp-core/client';
import { isRemote } from '../config/config.ts';
import type { Clock } from '../ports/clock.ts';
import type { CallWaiting } from '../ports/tool-catalogue.ts';
import type { ToolCallOutcome, ToolCallRequest } from '../ports/tool-dispatcher.ts';
import { outcomeOf, type CallLine } from './call-outcome.ts';
import type { CatalogueEntry, ResourceTool } from './catalogue.ts';
import type { Trial } from './call-breaker.ts';
import { ParkedState } from './parked-state.ts';
import { resourceResult } from './resource-tool.ts';
import type { ServerConnection } from './server-connection.ts';
import { isTaskCancelled } from './task-cancellation.ts';
import { watchResource } from './watch-resource.ts';

/** `_meta` key of the idempotency key. */
const IDEMPOTENCY_KEY = 'dev.signalbox/idempotency-key';

const QUESTION_HELD: CallWaiting = {
  reason: 'question_held',
  message:
    'the server sent an input request that names no call while calls of several runs are in flight; it is answered when the calls of the other runs have ended',
};

/** Sends the call, or resumes it, and returns its outcome. Never rejects with an error of the server or the connection. */
export async function sendCall(
  line: CallLine,
  {
    entry: { tool, resourceTool },
    request,
  }: { readonly entry: CatalogueEntry; readonly request: ToolCallRequest },
): Promise<ToolCallOutcome> {
  const { trial } = line;
  const { connection, router } = line.life;
  const meta = {
    [IDEMPOTENCY_KEY]: request.idempotencyKey,
    ...request.metaOf?.({
      method: methodOf(request, resourceTool),
      protocolVersion: connection.client.server.protocolVersion,
      transport: isRemote(line.server.config) ? 'http' : 'stdio',
    }),
  };
  const call = {
    runId: request.runId,
    meta,
    inputHandlers: request.inputHandlers,
    onElicitationComplete: request.onElicitationComplete,
    onInputRequest: () => trial.answered(),
    onInputRequestHeld: () => request.onWaiting?.(QUESTION_HELD),
  };
  const parking = new ParkedState(
    { rounds: request.rounds, onAsked: () => trial.answered() },
    request.resumeFrom !== undefined && !('taskId' in request.resumeFrom),
  );
  const task = {
    taskId:
      request.resumeFrom !== undefined && 'taskId' in request.resumeFrom
        ? request.resumeFrom.taskId
        : undefined,
  };
  const onTask = (taskId: string): void => {
    task.taskId = taskId;
    request.onTask?.(taskId);
  };
  router.begin(call);
  try {
    const result = await start(
      connection.client,
      { name: tool.name, resourceTool, clock: line.clock },
      {
        request: reportingTo(trial, { ...request, onTask }),
        options: { meta, inputRounds: { store: parking } },
      },
    );
    router.end(call, 'answered');
    trial.answered();
    return { type: 'result', result };
  } catch (error) {
    // A call that waits for input responses is not running on the server.
    if (parking.isParked && error instanceof LocalError && error.code === 'request-cancelled') {
      router.end(call, 'answered');
      return { type: 'cancelled', level: 'confirmed' };
    }
    const isAbandoned =
      error instanceof LocalError &&
      error.sent &&
      (error.code === 'request-cancelled' || error.code === 'request-timeout');
    router.end(call, isAbandoned ? 'abandoned' : 'answered');
    const wasCancelled = error instanceof LocalError && error.code === 'request-cancelled';
    const { taskId } = task;
    if (
      wasCancelled &&
      taskId !== undefined &&
      (await isTaskCancelled({
        client: connection.client,
        taskId,
        clock: line.clock,
        graceMs: line.server.graceMs,
      }))
    ) {
      trial.answered();
      return { type: 'cancelled', level: 'confirmed' };
    }
    return outcomeOf(line, request, error);
  }
}

function methodOf(
  { resumeFrom }: ToolCallRequest,
  resourceTool: ResourceTool | undefined,
): 'tools/call' | 'resources/read' | 'tasks/get' {
  if (resourceTool !== undefined) return 'resources/read';
  return resumeFrom !== undefined && 'taskId' in resumeFrom ? 'tasks/get' : 'tools/call';
}

/** Reports every progress message and task of the call to the circuit breaker as a sign of life. */
function reportingTo(trial: Trial, request: ToolCallRequest): ToolCallRequest {
  const { onProgress, onTask } = request;
  const reported =
    <T>(listener: (value: T) => void) =>
    (value: T): void => {
      trial.answered();
      listener(value);
    };
  return {
    ...request,
    onProgress: reported(onProgress),
    ...(onTask === undefined ? {} : { onTask: reported(onTask) }),
  };
}

/** Starts the call, or resumes its task or its parked round. */
async function start(
  client: ServerConnection['client'],
  {
    name,
    resourceTool,
    clock,
  }: {
    readonly name: string;
    readonly resourceTool: ResourceTool | undefined;
    readonly clock: Clock;
  },
  { request, options }: { readonly request: ToolCallRequest; readonly options: RequestOptions },
): Promise<CallToolResult> {
  const { resumeFrom, onTask, arguments: args } = request;
  const all: RequestOptions = {
    ...options,
    signal: request.signal,
    timeoutMs: request.inactivityMs,
    maxTotalMs: request.maxTotalMs,
    onProgress: request.onProgress,
    task: {
      // A task outlives the connection and this process.
      request: {},
      ...(onTask === undefined ? {} : { onTask: ({ taskId }) => onTask(taskId) }),
    },
  };
  const { task: _task, ...reading } = all;
  if (resourceTool === 'watch') return watchResource(client, args, { ...reading, clock });
  if (resourceTool === 'read')
    return resourceResult(await client.readResource(String(args['uri']), reading));
  if (resumeFrom === undefined) return client.callTool(name, args, all);
  return 'taskId' in resumeFrom
    ? client.tasks.resume(resumeFrom.taskId, all)
    : client.callTool(name, args, {
        ...all,
        inputRounds: { ...options.inputRounds, resume: resumeFrom },
      });
}
