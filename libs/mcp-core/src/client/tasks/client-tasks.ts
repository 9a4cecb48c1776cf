import type { JsonObject } from '../../jsonrpc/messages.ts';
import { LocalError } from '../../protocol/errors.ts';
import { isEnded, type DetailedTask, type Task } from '../../protocol/tasks.ts';
import type { CallToolResult } from '../../protocol/tools.ts';
import type { SentRequest } from '../requests/active-request.ts';
import type { ClientOptions, RequestOptions } from '../client-options.ts';
import type { ClientConnection } from '../connection/client-connection.ts';
import type { ReconnectingConnection } from '../connection/reconnecting-connection.ts';
import { DEFAULT_MAX_ROUNDS, type InputRounds } from '../input/multi-round-trip.ts';
import type { OriginatingRequest } from '../input/input-handlers.ts';
import { originatingRequest } from '../input/input-request-handler.ts';
import { readTaskResult } from './task-result.ts';
import { TaskWaiter } from './task-waiter.ts';

/**
 * Tool calls that became tasks, by the ids that `RequestTaskOptions.onTask` received. A server may keep them across restarts of both sides.
 * All methods reject with ProtocolError -32602 for a task that the server does not know.
 */
export interface ClientTasks {
  /** Returns the current state of the task. A legacy task is without its result or error. */
  get(taskId: string, options?: RequestOptions): Promise<DetailedTask>;
  /** Returns the result of the call. @throws ProtocolError the error of the call; LocalError `invalid-argument` while it runs, `request-cancelled` when it was cancelled */
  result(taskId: string, options?: RequestOptions): Promise<CallToolResult>;
  /** Cancels the task; resolves when the server has accepted. @throws ProtocolError for a legacy task that has ended */
  cancel(taskId: string, options?: RequestOptions): Promise<void>;
  /** Waits for the result of the call as `callTool` does, with its input requests. Aborting the signal cancels the task. */
  resume(taskId: string, options?: RequestOptions): Promise<CallToolResult>;
}

/** Implements `Client.tasks`, and the wait of `callTool` for its task. */
export class TaskCalls implements ClientTasks {
  readonly #current: ReconnectingConnection;
  readonly #options: ClientOptions;
  readonly #rounds: InputRounds;

  constructor(current: ReconnectingConnection, options: ClientOptions, rounds: InputRounds) {
    this.#current = current;
    this.#options = options;
    this.#rounds = rounds;
  }

  /** Returns the result of a call that became a task. */
  async waitForCall(
    connection: ClientConnection,
    request: SentRequest,
    task: Task,
  ): Promise<JsonObject> {
    const stopFollowing = connection.followProgress(request);
    try {
      const { maxTotalMs = Infinity, attempt } = request.options;
      const originating = originatingRequest(request.method, request.params, request.options.meta);
      return await this.#wait(
        { taskId: task.taskId, request: originating },
        request.options,
        request.sentAt + maxTotalMs - (attempt?.spentMs ?? 0),
      ).wait(task);
    } finally {
      stopFollowing();
    }
  }

  async get(taskId: string, options?: RequestOptions): Promise<DetailedTask> {
    // The codec has validated the task.
    return (await this.#current.connection.request(
      'tasks/get',
      { taskId },
      options,
    )) as unknown as DetailedTask;
  }

  async result(taskId: string, options?: RequestOptions): Promise<CallToolResult> {
    const task = await this.get(taskId, options);
    if (!isEnded(task.status))
      throw new LocalError('invalid-argument', `The task has no result yet: it is ${task.status}.`);
    const { connection } = this.#current;
    const result =
      connection.codec.tasks === 'core' && task.status !== 'cancelled'
        ? connection.request('tasks/result', { taskId }, options)
        : readTaskResult(task, connection.codec);
    // The codec has checked that `content` is a list of objects.
    return (await result) as unknown as CallToolResult;
  }

  async cancel(taskId: string, options?: RequestOptions): Promise<void> {
    await this.#current.connection.request('tasks/cancel', { taskId }, options);
  }

  async resume(taskId: string, options: RequestOptions = {}): Promise<CallToolResult> {
    if (options.signal?.aborted === true)
      throw new LocalError(
        'request-cancelled',
        'Waiting for the task was cancelled before it began.',
        { cause: options.signal.reason },
      );
    const endsAt = performance.now() + (options.maxTotalMs ?? Infinity);
    return (await this.#wait(
      { taskId, request: originatingRequest('tools/call', {}, options.meta) },
      options,
      endsAt,
    ).wait(undefined)) as unknown as CallToolResult;
  }

  #wait(
    { taskId, request }: { readonly taskId: string; readonly request: OriginatingRequest },
    options: RequestOptions,
    endsAt: number,
  ): TaskWaiter {
    const { meta, task: { onTask } = {}, signal, timeoutMs } = options;
    return new TaskWaiter(taskId, {
      connection: () => this.#current.connection,
      rounds: this.#rounds,
      request,
      polling: {
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
        ...(meta === undefined ? {} : { meta }),
      },
      onTask: (task) => this.#current.connection.callBack('a task', () => onTask?.(task)),
      signal,
      endsAt,
      maxRounds: this.#options.limits?.maxInputRounds ?? DEFAULT_MAX_ROUNDS,
    });
  }
}
