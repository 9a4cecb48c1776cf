import type { JsonObject } from '../../jsonrpc/messages.ts';
import { LocalError } from '../../protocol/errors.ts';
import { isEnded, type DetailedTask, type Task } from '../../protocol/tasks.ts';
import type { CallToolResult } from '../../protocol/tools.ts';
import type { SentRequest } from '../requests/active-request.ts';
import type { AskingRequest, ClientOptions, RequestOptions } from '../client-options.ts';
import type { Connection } from '../connection/client-connection.ts';
import type { CurrentConnection } from '../connection/reconnecting-connection.ts';
import { DEFAULT_MAX_ROUNDS, type InputRounds } from '../input/multi-round-trip.ts';
import { askingRequest } from '../input/input-request-handler.ts';
import { readTaskResult } from './task-result.ts';
import { TaskWait } from './wait-for-task.ts';

/**
 * Calls of tools that went on as tasks, by the ids that `RequestOptions.onTask` told. A server may know them after both sides were started again.
 * All methods reject with ProtocolError -32602 for a task that the server does not know, or no longer.
 */
export interface ClientTasks {
  /** The task as it is. A legacy one is without its result or error. */
  get(taskId: string, options?: RequestOptions): Promise<DetailedTask>;
  /** The result of the call. @throws ProtocolError its error; LocalError `invalid-argument` while it goes on, `request-cancelled` when it was cancelled */
  result(taskId: string, options?: RequestOptions): Promise<CallToolResult>;
  /** Asks the server to stop it; resolves when the server has agreed. @throws ProtocolError for a legacy task that has ended */
  cancel(taskId: string, options?: RequestOptions): Promise<void>;
  /** Waits for the end of the call as `callTool` does, answering what it asks; aborting the signal cancels the task. */
  resume(taskId: string, options?: RequestOptions): Promise<CallToolResult>;
}

/** The tasks of a client. */
export class TaskCalls implements ClientTasks {
  readonly #current: CurrentConnection;
  readonly #options: ClientOptions;
  readonly #rounds: InputRounds;

  constructor(current: CurrentConnection, options: ClientOptions, rounds: InputRounds) {
    this.#current = current;
    this.#options = options;
    this.#rounds = rounds;
  }

  /** The result of a call that became a task. */
  async created(connection: Connection, request: SentRequest, task: Task): Promise<JsonObject> {
    const stopFollowing = connection.followProgress(request);
    try {
      const { maxTotalMs = Infinity, attempt } = request.options;
      const asking = askingRequest(request.method, request.params, request.options.meta);
      return await this.#wait(
        { taskId: task.taskId, request: asking },
        request.options,
        request.sentAt + maxTotalMs - (attempt?.spentMs ?? 0),
      ).until(task);
    } finally {
      stopFollowing();
    }
  }

  async get(taskId: string, options?: RequestOptions): Promise<DetailedTask> {
    // The codec has made it one.
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
      { taskId, request: askingRequest('tools/call', {}, options.meta) },
      options,
      endsAt,
    ).until(undefined)) as unknown as CallToolResult;
  }

  #wait(
    { taskId, request }: { readonly taskId: string; readonly request: AskingRequest },
    options: RequestOptions,
    endsAt: number,
  ): TaskWait {
    const { meta, onTask, signal, timeoutMs } = options;
    return new TaskWait(taskId, {
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
      maxRounds: this.#options.maxInputRounds ?? DEFAULT_MAX_ROUNDS,
    });
  }
}
