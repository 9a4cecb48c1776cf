import type { JsonObject } from '../../jsonrpc/messages.ts';
import { MAX_TIMER_MS } from '../../jsonrpc/bounded-waits.ts';
import { LocalError, ProtocolError } from '../../protocol/errors.ts';
import { isEnded, type DetailedTask, type Task } from '../../protocol/tasks.ts';
import type { RequestOptions } from '../client-options.ts';
import type { ClientConnection } from '../connection/client-connection.ts';
import type { OriginatingRequest } from '../input/input-handlers.ts';
import { boundedInputRequests, type InputRounds } from '../input/multi-round-trip.ts';
import { cancelledByCaller } from '../requests/cancellation.ts';
import { TaskInputResponder } from './task-input.ts';
import { cancelledOnServer, readTaskResult } from './task-result.ts';

export interface TaskWaiterOptions {
  /** Returns the current connection, which may change after a reconnect. */
  readonly connection: () => ClientConnection;
  readonly rounds: InputRounds;
  /** The call, as input handlers receive it. */
  readonly request: OriginatingRequest;
  /** Options of each request about the task. */
  readonly polling: RequestOptions;
  /** Called with the task at first, and whenever its status or message has changed. */
  readonly onTask: (task: Task) => void;
  readonly signal: AbortSignal | undefined;
  /** The total limit, in the time of `performance.now()`. */
  readonly endsAt: number;
  /** Maximum number of times that new input requests may appear. */
  readonly maxRounds: number;
}

const DEFAULT_POLL_MS = 1000;
const MIN_POLL_MS = 50;
/** Caps the interval that a server suggests, so that the end of the task is noticed in time. */
const MAX_POLL_MS = 60_000;
/** Consecutive lost responses that are tolerated while the connection is open: HTTP streams break one by one. */
const MAX_LOST = 3;

/** Waits for the end of one task. */
export class TaskWaiter {
  readonly #taskId: string;
  readonly #options: TaskWaiterOptions;
  readonly #input: TaskInputResponder;
  readonly #failure = Promise.withResolvers<never>();
  readonly #over = new AbortController();
  #endsAt: number;
  #pausedAt = 0;
  #limit: NodeJS.Timeout | undefined;
  #pollTimer: NodeJS.Timeout | undefined;
  #last: Task | undefined;
  #rounds = 0;
  #lost = 0;

  constructor(taskId: string, options: TaskWaiterOptions) {
    this.#taskId = taskId;
    this.#options = options;
    this.#endsAt = options.endsAt;
    this.#input = new TaskInputResponder({
      respond: (inputRequest, signal) =>
        options.rounds.respondToOne(inputRequest, options.connection().codec, {
          signal,
          request: options.request,
        }),
      send: (inputResponses) => this.#request('tasks/update', { inputResponses }),
      failed: (error) => this.#failure.reject(error),
      openChanged: (areOpen) => this.#openChanged(areOpen),
    });
  }

  /**
   * Resolves with the result of the call; `task` is its last known state. Call once. A failure to wait cancels the task, except the loss of the
   * connection, after which waiting can be resumed.
   * @throws ProtocolError, LocalError
   */
  async wait(task: Task | undefined): Promise<JsonObject> {
    const { signal, connection } = this.#options;
    const onAbort = (): void => this.#failure.reject(cancelledByCaller('tools/call', signal));
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
      if (this.#shouldCancel(error)) void this.#request('tasks/cancel', {}).catch(() => undefined);
      throw error;
    } finally {
      signal?.removeEventListener('abort', onAbort);
      this.#end();
    }
  }

  /** Detects the end of the connection between two requests. */
  #followConnection(): void {
    const connection = this.#options.connection();
    const { endSignal } = connection;
    const onEnd = (): void => {
      if (this.#options.connection() !== connection) this.#followConnection();
      else
        this.#failure.reject(
          new LocalError(
            'connection-lost',
            'The connection ended while tools/call was running as a task.',
            { sent: true, cause: endSignal.reason },
          ),
        );
    };
    if (endSignal.aborted) onEnd();
    else endSignal.addEventListener('abort', onEnd, { once: true, signal: this.#over.signal });
  }

  /** Polls the task until it ends. */
  async #waitForExtension(known: Task | undefined): Promise<JsonObject> {
    this.#setLimit();
    if (known !== undefined) this.#publish(known);
    let task: DetailedTask =
      known === undefined || isEnded(known.status) ? await this.#get() : known;
    for (;;) {
      this.#publish(task);
      if (isEnded(task.status)) return readTaskResult(task, this.#options.connection().codec);
      if (this.#input.update(boundedInputRequests(task.inputRequests ?? {}))) this.#countRound();
      await this.#pause(task);
      task = (await this.#tryGet()) ?? task;
    }
  }

  /** Waits with one `tasks/result`, whose stream carries the input requests; polls the task as well, to detect a server that has stopped. */
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
      this.#publish(task);
      if (task.status === 'cancelled') throw cancelledOnServer();
      if (!isFetching) {
        isFetching = true;
        this.#fetchResult().then(resolve, (error: unknown) => {
          isFetching = false;
          if (!this.#isTolerableLoss(error)) reject(error);
        });
      }
      await this.#pause(task);
    }
  }

  /** Leaves the time limit to the request, which pauses it while an input request is open. */
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
    // The codec has validated the task.
    const task = (await this.#request('tasks/get', {})) as unknown as DetailedTask;
    this.#lost = 0;
    this.#over.signal.throwIfAborted();
    return task;
  }

  /** Returns `undefined` when the response was lost and polling may continue. */
  async #tryGet(): Promise<DetailedTask | undefined> {
    try {
      return await this.#get();
    } catch (error) {
      if (this.#isTolerableLoss(error) && !this.#over.signal.aborted) return undefined;
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

  #isTolerableLoss(error: unknown): boolean {
    if (!(error instanceof LocalError) || error.code !== 'connection-lost') return false;
    this.#lost += 1;
    return this.#lost <= MAX_LOST;
  }

  #shouldCancel(error: unknown): boolean {
    if (this.#last !== undefined && isEnded(this.#last.status)) return false;
    return (
      error instanceof LocalError &&
      error.code !== 'connection-lost' &&
      error.code !== 'connection-closed'
    );
  }

  #publish(task: Task): void {
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
        `The task of tools/call asked for input ${this.#rounds} times; at most ${this.#options.maxRounds} rounds are allowed.`,
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
          new LocalError('request-timeout', 'tools/call timed out: its task did not end in time.', {
            sent: true,
          }),
        );
      },
      Math.max(leftMs, 0),
    );
  }

  #end(): void {
    const reason = new LocalError('request-cancelled', 'The wait for the task is over.', {
      sent: true,
    });
    this.#over.abort(reason);
    clearTimeout(this.#limit);
    clearTimeout(this.#pollTimer);
    this.#input.end(reason);
  }
}
