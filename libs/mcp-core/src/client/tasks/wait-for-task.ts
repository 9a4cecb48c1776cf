import type { JsonObject } from '../../jsonrpc/messages.ts';
import { MAX_TIMER_MS } from '../../jsonrpc/bounded-waits.ts';
import { LocalError, ProtocolError } from '../../protocol/errors.ts';
import { isEnded, type DetailedTask, type Task } from '../../protocol/tasks.ts';
import type { AskingRequest, RequestOptions } from '../client-options.ts';
import type { Connection } from '../connection/client-connection.ts';
import { boundedQuestions, type InputRounds } from '../input/multi-round-trip.ts';
import { TaskInput } from './task-input.ts';
import { cancelledOnServer, readTaskResult } from './task-result.ts';

export interface TaskWaitOptions {
  /** The connection in use; another one may take its place. */
  readonly connection: () => Connection;
  readonly rounds: InputRounds;
  /** The call, for those who are asked for it. */
  readonly request: AskingRequest;
  /** Of each request that asks for the task. */
  readonly polling: RequestOptions;
  /** Hears of the task first, and of each status and message that differs from the last. */
  readonly onTask: (task: Task) => void;
  readonly signal: AbortSignal | undefined;
  /** The hard limit, in the time of `performance.now()`. */
  readonly endsAt: number;
  /** How often the task may bring new questions. */
  readonly maxRounds: number;
}

const DEFAULT_POLL_MS = 1000;
const MIN_POLL_MS = 50;
/** The end of a task whose server wants to be asked less often would be noticed too late. */
const MAX_POLL_MS = 60_000;
/** How often in a row an answer may be lost while the connection lives: streams of HTTP break one by one. */
const MAX_LOST = 3;

/** Waits for the end of one task. */
export class TaskWait {
  readonly #taskId: string;
  readonly #options: TaskWaitOptions;
  readonly #input: TaskInput;
  readonly #failure = Promise.withResolvers<never>();
  readonly #over = new AbortController();
  #endsAt: number;
  #pausedAt = 0;
  #limit: NodeJS.Timeout | undefined;
  #pollTimer: NodeJS.Timeout | undefined;
  #last: Task | undefined;
  #rounds = 0;
  #lost = 0;

  constructor(taskId: string, options: TaskWaitOptions) {
    this.#taskId = taskId;
    this.#options = options;
    this.#endsAt = options.endsAt;
    this.#input = new TaskInput({
      ask: (question, signal) =>
        options.rounds.answerOne(question, options.connection().codec, {
          signal,
          request: options.request,
        }),
      send: (inputResponses) => this.#request('tasks/update', { inputResponses }),
      failed: (error) => this.#failure.reject(error),
      openChanged: (areOpen) => this.#openChanged(areOpen),
    });
  }

  /**
   * Resolves with the result of the call; `task` is what is known of it. Call once. Whatever else ends the wait cancels the task, except the loss of the
   * connection, after which it can be resumed.
   * @throws ProtocolError, LocalError
   */
  async until(task: Task | undefined): Promise<JsonObject> {
    const { signal, connection } = this.#options;
    const onAbort = (): void =>
      this.#failure.reject(
        new LocalError('request-cancelled', 'tools/call was cancelled.', {
          sent: true,
          cause: signal?.reason,
        }),
      );
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted === true) onAbort();
    this.#followConnection();
    try {
      return await Promise.race([
        this.#failure.promise,
        connection().codec.tasks === 'core'
          ? this.#waitForCore(task)
          : this.#waitForExtension(task),
      ]);
    } catch (error) {
      if (this.#isWorthCancelling(error))
        void this.#request('tasks/cancel', {}).catch(() => undefined);
      throw error;
    } finally {
      signal?.removeEventListener('abort', onAbort);
      this.#end();
    }
  }

  /** Between two requests nothing else tells that the connection has ended. */
  #followConnection(): void {
    const connection = this.#options.connection();
    const { endSignal } = connection;
    const onEnd = (): void => {
      if (this.#options.connection() !== connection) this.#followConnection();
      else
        this.#failure.reject(
          new LocalError(
            'connection-lost',
            'The connection ended while tools/call went on as a task.',
            { sent: true, cause: endSignal.reason },
          ),
        );
    };
    if (endSignal.aborted) onEnd();
    else endSignal.addEventListener('abort', onEnd, { once: true, signal: this.#over.signal });
  }

  /** Everything is learned by asking for the task. */
  async #waitForExtension(known: Task | undefined): Promise<JsonObject> {
    this.#setLimit();
    if (known !== undefined) this.#tell(known);
    let task: DetailedTask =
      known === undefined || isEnded(known.status) ? await this.#get() : known;
    for (;;) {
      this.#tell(task);
      if (isEnded(task.status)) return readTaskResult(task, this.#options.connection().codec);
      if (this.#input.update(boundedQuestions(task.inputRequests ?? {}))) this.#countRound();
      await this.#pause(task);
      task = (await this.#tryGet()) ?? task;
    }
  }

  /** One request waits for the result and has the questions on its stream; asking for the task shows that the server is alive. */
  #waitForCore(known: Task | undefined): Promise<JsonObject> {
    const result = Promise.withResolvers<JsonObject>();
    return Promise.race([result.promise, this.#watchCore(known, result)]);
  }

  async #watchCore(
    known: Task | undefined,
    { resolve, reject }: PromiseWithResolvers<JsonObject>,
  ): Promise<never> {
    let isFetching = false;
    for (let task = known ?? (await this.#get()); ; task = (await this.#tryGet()) ?? task) {
      this.#tell(task);
      if (task.status === 'cancelled') throw cancelledOnServer();
      if (!isFetching) {
        isFetching = true;
        this.#fetchResult().then(resolve, (error: unknown) => {
          isFetching = false;
          if (!this.#isBearable(error)) reject(error);
        });
      }
      await this.#pause(task);
    }
  }

  /** The limit is kept by the request, whose time stops while a question is open. */
  async #fetchResult(): Promise<JsonObject> {
    const maxTotalMs = Math.max(this.#endsAt - performance.now(), 0);
    try {
      return await this.#request(
        'tasks/result',
        {},
        { timeoutMs: Infinity, maxTotalMs, signal: this.#over.signal },
      );
    } catch (error) {
      if (error instanceof ProtocolError && (await this.#get()).status === 'cancelled')
        throw cancelledOnServer();
      throw error;
    }
  }

  async #get(): Promise<DetailedTask> {
    // The codec has made it one.
    const task = (await this.#request('tasks/get', {})) as unknown as DetailedTask;
    this.#lost = 0;
    this.#over.signal.throwIfAborted();
    return task;
  }

  /** `undefined` when the answer was lost and another may come. */
  async #tryGet(): Promise<DetailedTask | undefined> {
    try {
      return await this.#get();
    } catch (error) {
      if (this.#isBearable(error) && !this.#over.signal.aborted) return undefined;
      throw error;
    }
  }

  #request(method: string, params: JsonObject, options: RequestOptions = {}): Promise<JsonObject> {
    return this.#options
      .connection()
      .request(
        method,
        { taskId: this.#taskId, ...params },
        { ...this.#options.polling, ...options },
      );
  }

  #isBearable(error: unknown): boolean {
    if (!(error instanceof LocalError) || error.code !== 'connection-lost') return false;
    this.#lost += 1;
    return this.#lost <= MAX_LOST;
  }

  #isWorthCancelling(error: unknown): boolean {
    if (this.#last !== undefined && isEnded(this.#last.status)) return false;
    return (
      error instanceof LocalError &&
      error.code !== 'connection-lost' &&
      error.code !== 'connection-closed'
    );
  }

  #tell(task: Task): void {
    const { status, statusMessage } = this.#last ?? {};
    this.#last = task;
    if (task.status !== status || task.statusMessage !== statusMessage) this.#options.onTask(task);
  }

  #countRound(): void {
    this.#rounds += 1;
    if (this.#rounds <= this.#options.maxRounds) return;
    this.#failure.reject(
      new LocalError(
        'invalid-response',
        `The task that tools/call became asked for input ${String(this.#rounds)} times.`,
        { sent: true },
      ),
    );
  }

  #pause({ pollIntervalMs = DEFAULT_POLL_MS }: Task): Promise<void> {
    return new Promise((resolve) => {
      this.#pollTimer = setTimeout(
        resolve,
        Math.min(Math.max(pollIntervalMs, MIN_POLL_MS), MAX_POLL_MS),
      );
    });
  }

  #openChanged(areOpen: boolean): void {
    if (areOpen) {
      clearTimeout(this.#limit);
      this.#pausedAt = performance.now();
    } else {
      this.#endsAt += performance.now() - this.#pausedAt;
      this.#setLimit();
    }
  }

  #setLimit(): void {
    const leftMs = this.#endsAt - performance.now();
    if (leftMs > MAX_TIMER_MS || this.#over.signal.aborted) return;
    this.#limit = setTimeout(
      () => {
        this.#failure.reject(
          new LocalError(
            'request-timeout',
            'tools/call timed out: the task that it became did not end in time.',
            { sent: true },
          ),
        );
      },
      Math.max(leftMs, 0),
    );
  }

  #end(): void {
    const reason = new LocalError('request-cancelled', 'The task it belongs to is over.', {
      sent: true,
    });
    this.#over.abort(reason);
    clearTimeout(this.#limit);
    clearTimeout(this.#pollTimer);
    this.#input.end(reason);
  }
}
