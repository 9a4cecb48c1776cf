import type { InputMethod, InputTypes } from '../../era/codec.ts';
import { metaOf } from '../../era/meta-keys.ts';
import type { JsonObject, JsonRpcRequest } from '../../jsonrpc/messages.ts';
import type { AuthContext } from '../../jsonrpc/transport.ts';
import { isAtLeast, type LoggingLevel } from '../../protocol/logging-levels.ts';
import type { Progress } from '../../protocol/progress.ts';
import type { KeyedInputRequest } from '../input/input-requests.ts';
import { Suspended } from '../input/journal.ts';
import type { TaskHandle, TaskOptions, TaskStarter } from '../tasks/task-handle.ts';
import type { RegisteredTool } from '../tools/tool-table.ts';
import type { EraPort } from './era-port.ts';
import { logParams } from './logging.ts';
import { ProgressReporter, READY } from './progress.ts';

/** A request as its connection received it. */
export interface IncomingRequest {
  readonly request: JsonRpcRequest;
  /** Aborts when the client cancels the request or disconnects. Created on first use: most handlers never read it. */
  readonly signal: AbortSignal;
  /** The value of `signal.aborted`, without creating a signal. */
  readonly isCancelled: boolean;
  readonly auth: AuthContext | undefined;
}

export interface RequestServices {
  /** Shortest time between two progress notifications in milliseconds. */
  readonly progressIntervalMs: number;
  /** The called tool, as it was when the request began. */
  readonly tool: RegisteredTool | undefined;
  /** Absent when the request cannot become a task. */
  readonly task?: TaskServices;
}

export interface TaskServices {
  readonly starter: TaskStarter;
  /** Present when the client requested a task. */
  readonly requested: TaskOptions | undefined;
  /** Called with the neutral task when the request has become a task. */
  readonly onCreated: (task: JsonObject) => void;
}

type TaskState =
  | { readonly kind: 'none' }
  | { readonly kind: 'starting'; readonly started: Promise<void> }
  | { readonly kind: 'running'; readonly handle: TaskHandle; readonly created: JsonObject };

const NO_PARAMS: JsonObject = {};
const NO_TASK: TaskState = { kind: 'none' };

/** A request that is being served, from its arrival to its response, and beyond it when it has become a task. */
export class ActiveRequest {
  readonly port: EraPort;
  readonly meta: JsonObject;
  readonly #incoming: IncomingRequest;
  readonly #services: RequestServices;
  #replaced: Pick<ActiveRequest, 'params' | 'tool'> | undefined;
  #effects: Map<string, Promise<unknown>> | undefined;
  #progress: ProgressReporter | undefined;
  #controller: AbortController | undefined;
  #task: TaskState = NO_TASK;
  #taskCreated: PromiseWithResolvers<JsonObject> | undefined;
  #isFinished = false;

  constructor(incoming: IncomingRequest, port: EraPort, services: RequestServices) {
    this.port = port;
    this.meta = metaOf(incoming.request.params);
    this.#incoming = incoming;
    this.#services = services;
    if (port.replay.isPossible)
      port.replay.onSuspended((reason) => this.#controller?.abort(reason));
  }

  get request(): JsonRpcRequest {
    return this.#incoming.request;
  }

  get params(): JsonObject {
    return this.#replaced?.params ?? this.request.params ?? NO_PARAMS;
  }

  get auth(): AuthContext | undefined {
    return this.#incoming.auth;
  }

  get tool(): RegisteredTool | undefined {
    return this.#replaced === undefined ? this.#services.tool : this.#replaced.tool;
  }

  /** Replaces the params that the method reads, and the tool that they name. The `_meta` of the context stays as sent. */
  replaceParams(params: JsonObject, tool: RegisteredTool | undefined): void {
    this.#replaced = { params, tool };
  }

  /** Aborts when the client no longer waits, when the handler is suspended, or when the task of the request ends. */
  get signal(): AbortSignal {
    if (!this.port.replay.isPossible && !this.canBecomeTask) return this.#incoming.signal;
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      this.#followSource();
    }
    return this.#controller.signal;
  }

  /** Whether the result is no longer needed: the request or its task was cancelled. */
  get isAbandoned(): boolean {
    return this.#handle?.signal.aborted ?? this.#incoming.isCancelled;
  }

  get canBecomeTask(): boolean {
    return this.#services.task !== undefined;
  }

  /** The options of the task that the client requested. */
  get requestedTask(): TaskOptions | undefined {
    return this.#services.task?.requested;
  }

  get isTask(): boolean {
    return this.#task.kind === 'running';
  }

  /** Resolves with the neutral task when the request has become a task. */
  get taskCreated(): Promise<JsonObject> {
    if (this.#task.kind === 'running') return Promise.resolve(this.#task.created);
    this.#taskCreated ??= Promise.withResolvers();
    return this.#taskCreated.promise;
  }

  /** Sends progress to the client, or to the task that the request has become. */
  progress(update: Progress): PromiseLike<void> {
    if (this.#task.kind === 'running') {
      this.#task.handle.progress(update);
      return READY;
    }
    if (this.#isFinished || this.port.replay.isReplaying) return READY;
    this.#progress ??= this.openProgress();
    return this.#progress.report(update);
  }

  /** Sends a notification that belongs to the request. */
  notify(method: string, params: JsonObject): PromiseLike<void> {
    return this.#isSilent() || this.port.replay.isReplaying
      ? READY
      : (this.port.notify(method, params, this.request.id) ?? READY);
  }

  /** Sends a custom request to the client. */
  sendRequest(method: string, params: JsonObject, withdrawal?: AbortSignal): Promise<JsonObject> {
    const signal = this.#signalUntil(withdrawal);
    return this.port.request({ method, params, signal, relatedTo: this.request.id });
  }

  /** Sends a log message if the client's level allows it. */
  log(level: LoggingLevel, data: unknown, logger?: string): void {
    const { port } = this;
    const threshold = port.logLevel;
    if (
      threshold === undefined ||
      this.#isSilent() ||
      port.replay.isReplaying ||
      !isAtLeast(level, threshold)
    )
      return;
    port.notify('notifications/message', logParams(level, data, logger), this.request.id);
  }

  /**
   * Sends an input request to the client, or adds it to the task that the request has become; waits for a task that is being created.
   * @throws ProtocolError -32021 when the client did not declare the capability
   */
  ask<M extends InputMethod>(
    inputRequest: Pick<KeyedInputRequest<M>, 'method' | 'key' | 'params'>,
    withdrawal?: AbortSignal,
  ): Promise<InputTypes[M]['result']> {
    if (this.#task.kind === 'starting')
      return this.#task.started.then(() => this.ask(inputRequest, withdrawal));
    const signal = this.#signalUntil(withdrawal);
    return (this.#handle ?? this.port).ask({
      ...inputRequest,
      signal,
      relatedTo: this.request.id,
    });
  }

  /** Runs an effect at most once, however often the handler runs. */
  once<T>(key: string, run: () => T | Promise<T>): Promise<T> {
    const { replay } = this.port;
    if (replay.isPossible && !this.isTask) return replay.once(key, run);
    this.#effects ??= new Map();
    const result = this.#effects.get(key) ?? Promise.resolve().then(run);
    this.#effects.set(key, result);
    // The caller that wrote the result under this key knows its type.
    return result as Promise<T>;
  }

  /** Turns the request into a task. Does nothing when it cannot become one, or is one. */
  startTask(options: TaskOptions): Promise<void> {
    const { task } = this.#services;
    if (task === undefined || this.#task.kind === 'running') return Promise.resolve();
    if (this.#task.kind === 'starting') return this.#task.started;
    const started = this.#startTask(task, options);
    // A handler need not wait for it, and its failure must not end the process.
    started.catch(() => undefined);
    this.#task = { kind: 'starting', started };
    return started;
  }

  /** Ends the task that the request has become. */
  settleTask(outcome: Parameters<TaskHandle['settle']>[0]): void {
    this.#handle?.settle(outcome);
  }

  /** Opens a reporter that sends progress with the token of the request, and nothing without a token. Progress of a task carries the task's `_meta`. */
  openProgress(taskMeta?: JsonObject): ProgressReporter {
    const { progressToken } = this.meta;
    const hasToken = typeof progressToken === 'string' || Number.isInteger(progressToken);
    const send = (update: Progress): PromiseLike<void> | undefined => {
      if (!hasToken) return undefined;
      if (taskMeta !== undefined)
        return this.port.notify('notifications/progress', {
          progressToken,
          ...update,
          _meta: taskMeta,
        });
      return this.#incoming.isCancelled
        ? undefined
        : this.port.notify('notifications/progress', { progressToken, ...update }, this.request.id);
    };
    return new ProgressReporter(send, {
      intervalMs: this.#services.progressIntervalMs,
      isCongested: () => this.port.isCongested,
    });
  }

  /** Sends pending progress; later progress and log messages are dropped. */
  finish(): void {
    this.#isFinished = true;
    this.#progress?.finish();
  }

  get #handle(): TaskHandle | undefined {
    return this.#task.kind === 'running' ? this.#task.handle : undefined;
  }

  async #startTask({ starter, onCreated }: TaskServices, options: TaskOptions): Promise<void> {
    // The handler runs again with the responses to its input requests and starts the task then.
    if (this.port.replay.isSuspended) throw new Suspended();
    if (this.#incoming.isCancelled) this.signal.throwIfAborted();
    const { handle, created } = await starter.start(this, options);
    this.#task = { kind: 'running', handle, created };
    if (this.#controller !== undefined) this.#followSource();
    // The response that would announce the task is not sent.
    if (this.#incoming.isCancelled) handle.cancel();
    this.#taskCreated?.resolve(created);
    onCreated(created);
  }

  #signalUntil(withdrawal: AbortSignal | undefined): AbortSignal {
    return withdrawal === undefined ? this.signal : AbortSignal.any([this.signal, withdrawal]);
  }

  /** Aborts the handler's signal with the signal of the task, or else of the request. The request's signal no longer counts once there is a task. */
  #followSource(): void {
    const source = this.#handle?.signal ?? this.#incoming.signal;
    const abort = (): void => {
      if (source === (this.#handle?.signal ?? this.#incoming.signal))
        this.#controller?.abort(source.reason);
    };
    if (source.aborted) abort();
    else source.addEventListener('abort', abort, { once: true });
  }

  #isSilent(): boolean {
    return this.#isFinished || this.isTask || this.#incoming.isCancelled;
  }
}
