import type { InputMethod, InputTypes } from '../../era/codec.ts';
import { metaOf } from '../../era/meta-keys.ts';
import type { JsonObject, JsonRpcRequest } from '../../jsonrpc/messages.ts';
import { TAKEN, type AuthContext } from '../../jsonrpc/transport.ts';
import { isAtLeast } from '../../protocol/logging-levels.ts';
import type { Progress } from '../../protocol/progress.ts';
import type {
  CreateMessageParams,
  CreateMessageResult,
  Root,
} from '../../protocol/client-features.ts';
import type { InteractiveContext, InputRequest, RequestClient } from './request-context.ts';
import type { EraPort, KeyedInputRequest } from './era-port.ts';
import type { TaskHandle, TaskOptions, TaskStarter } from '../tasks/task-handle.ts';
import { Suspended } from '../input/journal.ts';
import { prepareSampling } from '../input/sampling.ts';
import { ProgressReporter } from './progress.ts';
import type { RegisteredTool } from '../tools/tool-table.ts';

/** A request as its connection hands it over. */
export interface IncomingRequest {
  readonly request: JsonRpcRequest;
  /** Aborts when the client gives the request up or is gone. */
  readonly signal: AbortSignal;
  /** What `signal.aborted` says. A signal is made only for who looks at it, and most handlers do not. */
  readonly isCancelled: boolean;
  readonly auth: AuthContext | undefined;
}

export interface ServingOptions {
  /** How often progress is sent at most. */
  readonly progressIntervalMs: number;
  /** Without it the request cannot become a task. */
  readonly tasks?: TaskStarter;
  /** The rounds of questions that the request belongs to; none where nothing can be asked by an answer. */
  readonly dialogue?: { useState(): Promise<void> } | undefined;
}

/** One request while it is served: the handler's context, and its end. */
export class ActiveRequest implements InteractiveContext {
  readonly port: EraPort;
  readonly meta: JsonObject;
  /** Told of the neutral task that the handler has become. */
  onTaskCreated: ((task: JsonObject) => void) | undefined;
  /** Set when the client wants the call as a task from its start. */
  requestedTask: TaskOptions | undefined;
  /** The tool that is called, as it was when the call began. */
  tool: RegisteredTool | undefined;
  readonly #incoming: IncomingRequest;
  readonly #options: ServingOptions;
  #memo: Map<string, Promise<unknown>> | undefined;
  #progress: ProgressReporter | undefined;
  #controller: AbortController | undefined;
  #live: TaskHandle | undefined;
  #starting: Promise<void> | undefined;
  #created: PromiseWithResolvers<JsonObject> | undefined;
  #task: JsonObject | undefined;
  #isFinished = false;

  constructor(incoming: IncomingRequest, port: EraPort, options: ServingOptions) {
    this.port = port;
    this.meta = metaOf(incoming.request.params);
    this.#incoming = incoming;
    this.#options = options;
    if (port.journal !== undefined)
      port.journal.onSuspended = (reason) => this.#controller?.abort(reason);
  }

  get request(): JsonRpcRequest {
    return this.#incoming.request;
  }

  get params(): JsonObject {
    return this.request.params ?? {};
  }

  get auth(): AuthContext | undefined {
    return this.#incoming.auth;
  }

  get client(): RequestClient {
    return this.port.client;
  }

  get signal(): AbortSignal {
    if (this.port.journal === undefined && this.#options.tasks === undefined)
      return this.#incoming.signal;
    this.#controller ??= this.#openController(this.#live?.signal ?? this.#incoming.signal);
    return this.#controller.signal;
  }

  /** Whether nobody waits for the handler any more. */
  get isAbandoned(): boolean {
    return this.#live?.signal.aborted ?? this.#incoming.isCancelled;
  }

  /** Whether the handler may go on after its request was answered. */
  get canBecomeTask(): boolean {
    return this.#options.tasks !== undefined;
  }

  /** Resolves with the neutral task when the handler has become one. */
  get taskCreated(): Promise<JsonObject> {
    if (this.#task !== undefined) return Promise.resolve(this.#task);
    this.#created ??= Promise.withResolvers();
    return this.#created.promise;
  }

  /** The task that the request has become. */
  get live(): TaskHandle | undefined {
    return this.#live;
  }

  /** The handler's functions are made when they are looked at and belong to this object, so that a handler may take them out of its context. */
  get progress(): InteractiveContext['progress'] {
    return (update) => {
      if (this.#live !== undefined) {
        this.#live.progress(update);
        return TAKEN;
      }
      if (this.#isFinished || this.port.journal?.isReplaying === true) return TAKEN;
      this.#progress ??= this.openProgress();
      return this.#progress.report(update);
    };
  }

  get log(): InteractiveContext['log'] {
    return (level, data, logger) => {
      const { port } = this;
      const threshold = port.logLevel;
      if (
        threshold === undefined ||
        this.#isSilent() ||
        port.journal?.isReplaying === true ||
        !isAtLeast(level, threshold)
      )
        return;
      port.notify(
        'notifications/message',
        { level, ...(logger === undefined ? {} : { logger }), data: data ?? null },
        this.request.id,
      );
    };
  }

  get elicit(): InteractiveContext['elicit'] {
    return (key, params) => handled(this.#ask({ method: 'elicitation/create', key, params }));
  }

  get sample(): InteractiveContext['sample'] {
    return (key, params) => handled(this.#sample(key, params));
  }

  get listRoots(): InteractiveContext['listRoots'] {
    return () => handled(this.#listRoots('roots'));
  }

  get gather(): InteractiveContext['gather'] {
    return (questions) => handled(this.#gather(questions));
  }

  get once(): InteractiveContext['once'] {
    return (key, run) => handled(this.#once(key, run));
  }

  get startTask(): InteractiveContext['startTask'] {
    return (options = {}) => {
      if (this.#options.tasks === undefined) return Promise.resolve();
      this.#starting ??= handled(this.#startTask(this.#options.tasks, options));
      return this.#starting;
    };
  }

  get closeStream(): InteractiveContext['closeStream'] {
    return () => this.port.closeStream(this.request.id);
  }

  /** Sends progress with the token of the request, and nothing without one; that of a task, which outlives the request, with the task's `_meta`. */
  openProgress(taskMeta?: JsonObject): ProgressReporter {
    const { progressToken } = this.meta;
    const hasToken = typeof progressToken === 'string' || Number.isInteger(progressToken);
    const send = (update: Progress): PromiseLike<void> => {
      if (!hasToken) return TAKEN;
      if (taskMeta !== undefined)
        return this.port.notify('notifications/progress', {
          progressToken,
          ...update,
          _meta: taskMeta,
        });
      return this.#incoming.isCancelled
        ? TAKEN
        : this.port.notify('notifications/progress', { progressToken, ...update }, this.request.id);
    };
    return new ProgressReporter(send, {
      intervalMs: this.#options.progressIntervalMs,
      isCongested: () => this.port.isCongested,
    });
  }

  /** Uses up the request state of a destructive call. @throws ProtocolError -32602 when it was used before. */
  async useState(): Promise<void> {
    await this.#options.dialogue?.useState();
  }

  /** Sends the progress that waits; after this the request is silent. */
  finish(): void {
    this.#isFinished = true;
    this.#progress?.finish();
  }

  #once<T>(key: string, run: () => T | Promise<T>): Promise<T> {
    const { journal } = this.port;
    if (journal !== undefined && this.#live === undefined) return journal.once(key, run);
    this.#memo ??= new Map();
    const result = this.#memo.get(key) ?? Promise.resolve().then(run);
    this.#memo.set(key, result);
    return result as Promise<T>;
  }

  async #startTask(tasks: TaskStarter, options: TaskOptions): Promise<void> {
    // What was asked before the task is answered by running the handler again.
    if (this.port.journal?.isSuspended === true) throw new Suspended();
    if (this.#incoming.isCancelled) this.signal.throwIfAborted();
    const { live, created } = await tasks.start(this, options);
    this.#live = live;
    if (this.#controller !== undefined) this.#follow(live.signal);
    // The answer that would tell the task is not sent.
    if (this.#incoming.isCancelled) live.cancel();
    this.#task = created;
    this.#created?.resolve(created);
    this.onTaskCreated?.(created);
  }

  async #gather(questions: {
    readonly [key: string]: InputRequest;
  }): Promise<{ readonly [key: string]: unknown }> {
    const withdrawal = new AbortController();
    const answers = Object.entries(questions).map(
      async ([key, question]) =>
        [key, await this.#askAny(key, question, withdrawal.signal)] as const,
    );
    try {
      return Object.fromEntries(await Promise.all(answers));
    } finally {
      withdrawal.abort();
    }
  }

  #ask<M extends InputMethod>(
    question: Pick<KeyedInputRequest<M>, 'method' | 'key' | 'params'>,
    withdrawal?: AbortSignal,
  ): Promise<InputTypes[M]['result']> {
    if (this.#starting !== undefined && this.#live === undefined)
      return this.#starting.then(() => this.#ask(question, withdrawal));
    const signal =
      withdrawal === undefined ? this.signal : AbortSignal.any([this.signal, withdrawal]);
    return (this.#live ?? this.port).ask({ ...question, signal, relatedTo: this.request.id });
  }

  #askAny(key: string, question: InputRequest, withdrawal: AbortSignal): Promise<unknown> {
    if (question.elicit !== undefined)
      return this.#ask({ method: 'elicitation/create', key, params: question.elicit }, withdrawal);
    if (question.sample !== undefined) return this.#sample(key, question.sample, withdrawal);
    return this.#listRoots(key, withdrawal);
  }

  async #sample(
    key: string,
    params: CreateMessageParams,
    withdrawal?: AbortSignal,
  ): Promise<CreateMessageResult> {
    return this.#ask(
      { method: 'sampling/createMessage', key, params: prepareSampling(params, this.client) },
      withdrawal,
    );
  }

  async #listRoots(key: string, withdrawal?: AbortSignal): Promise<readonly Root[]> {
    return (await this.#ask({ method: 'roots/list', key, params: undefined }, withdrawal)).roots;
  }

  #openController(source: AbortSignal): AbortController {
    const controller = new AbortController();
    this.#controller = controller;
    this.#follow(source);
    return controller;
  }

  /** Aborts the handler's signal with this one; a source that was followed before counts only while it is the current one. */
  #follow(source: AbortSignal): void {
    const abort = (): void => {
      if (source === (this.#live?.signal ?? this.#incoming.signal))
        this.#controller?.abort(source.reason);
    };
    if (source.aborted) abort();
    else source.addEventListener('abort', abort, { once: true });
  }

  #isSilent(): boolean {
    return this.#isFinished || this.#live !== undefined || this.#incoming.isCancelled;
  }
}

/** What a handler does not wait for must not end the process. */
function handled<T>(answer: Promise<T>): Promise<T> {
  answer.catch(() => undefined);
  return answer;
}
