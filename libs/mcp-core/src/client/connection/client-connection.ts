import { latestLegacyCodec } from '../../era/codecs.ts';
import type { ClientIdentity, Codec } from '../../era/codec.ts';
import { knownQuestion } from '../../era/known-members.ts';
import { MetaKey, metaOf } from '../../era/meta-keys.ts';
import { isJsonObject, isRequestId } from '../../jsonrpc/envelope.ts';
import type {
  JsonObject,
  JsonRpcNotification,
  JsonRpcRequest,
  RequestId,
} from '../../jsonrpc/messages.ts';
import { type Answer, type OutgoingRequest, Peer, type Reply } from '../../jsonrpc/peer.ts';
import type { RunningRequest } from '../../jsonrpc/running-request.ts';
import type { Transport } from '../../jsonrpc/transport.ts';
import type { LoggingLevel } from '../../protocol/logging-levels.ts';
import { LocalError } from '../../protocol/errors.ts';
import type { Task } from '../../protocol/tasks.ts';
import {
  ActiveRequest,
  type InputRequired,
  type SendingOptions,
  type SentRequest,
} from '../requests/active-request.ts';
import { ActiveRequests } from '../requests/active-requests.ts';
import type { AskingRequest, ClientOptions } from '../client-options.ts';
import { declaredInRequests } from '../versioning/capabilities.ts';
import { NotificationDispatch, type NotificationListener } from './notifications.ts';
import { askingRequest } from '../input/input-request-handler.ts';
import { readAnswer } from '../requests/read-response.ts';
import { ServerQuestions } from '../input/server-requests.ts';

/** Goes on with a request whose answer is not its result. */
export interface FollowUps {
  /** The server asks before it answers. */
  inputRequired(
    connection: Connection,
    request: SentRequest,
    asked: InputRequired,
  ): Promise<JsonObject>;
  /** The call goes on as a task. */
  taskCreated(connection: Connection, request: SentRequest, task: Task): Promise<JsonObject>;
  /** The result of sending it again, or `undefined` when the error stands. */
  failed(
    connection: Connection,
    request: SentRequest,
    error: unknown,
  ): Promise<JsonObject> | undefined;
}

export interface ConnectionHooks extends FollowUps {
  /** Hears each notification that is not about a request, before anybody else. */
  notified(notification: JsonRpcNotification): void;
  /** The connection ended, once it was announced and unless it was retired. `error` says why, when it was not closed here. */
  ended(connection: Connection, error: Error | undefined): void;
}

export const DEFAULT_REQUEST_TIMEOUT_MS = 60_000;

/** What may be answered with questions. @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#supported-requests */
const ASKING_METHODS = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** One connection to a server: our requests with their progress, limits and cancellation, and the server's questions. */
export class Connection {
  /** Aborts when the connection ends. */
  readonly endSignal: AbortSignal;
  readonly isHttp: boolean;
  readonly #peer: Peer;
  readonly #options: ClientOptions;
  readonly #hooks: ConnectionHooks;
  readonly #questions: ServerQuestions;
  readonly #notifications: NotificationDispatch;
  readonly #active = new ActiveRequests((request, problem) => {
    this.#interrupt(
      request,
      new LocalError('request-timeout', `${request.method} timed out: ${problem}.`, { sent: true }),
    );
  });
  /** Requests that were answered and still make progress. */
  readonly #followed = new Map<unknown, SentRequest>();
  readonly #endController = new AbortController();
  #identity: ClientIdentity;
  #codec: Codec | undefined;
  /** The part of each request's `_meta` that does not change. */
  #requestMeta: JsonObject = {};
  #end: { readonly error: Error | undefined } | undefined;
  #state: 'connecting' | 'announced' | 'retired' = 'connecting';
  #isCloseAsked = false;

  constructor(transport: Transport, options: ClientOptions, hooks: ConnectionHooks) {
    this.#options = options;
    this.#hooks = hooks;
    this.isHttp = transport.isHttp === true;
    this.endSignal = this.#endController.signal;
    this.#identity = {
      info: options.info,
      capabilities: declaredInRequests(options),
      ...(options.onLog === undefined ? {} : { logLevel: 'info' }),
    };
    // While a person is asked, the limits of all requests stop: any of them may have led to the question.
    this.#questions = new ServerQuestions(options, (areOpen) => this.#active.pause(areOpen));
    this.#notifications = new NotificationDispatch(options, {
      progressed: (token) => {
        const request = this.#active.get(token);
        request?.heard();
        return request ?? this.#followed.get(token);
      },
      cancelled: (notification) => this.#cancelled(notification),
    });
    this.#notifications.listen((notification) => hooks.notified(notification));
    this.#peer = new Peer(transport, {
      request: (request, running) => this.#answer(request, running),
      kept: knownRequest,
      notification: (notification) => this.#notifications.dispatch(notification),
      ended: (error) => this.#closed(error),
      acceptsBatch: () => this.#codec?.hasBatches === true,
      problem: (problem) => options.onProblem?.(problem),
    });
  }

  /** The revision agreed on; the latest legacy one until then. */
  get codec(): Codec {
    return this.#codec ?? latestLegacyCodec;
  }

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Starts the transport; call once. */
  start(): Promise<void> {
    return this.#peer.start();
  }

  agreeOn(codec: Codec): void {
    this.#codec = codec;
    this.#identify(this.#identity);
  }

  /** Asks for log messages of this level and above with each later request of the modern era. */
  wantLogs(logLevel: LoggingLevel): void {
    this.#identify({ ...this.#identity, logLevel });
  }

  /**
   * Ends connecting: from here on the end of the connection is told.
   * @throws LocalError `connect-failed` when it has ended already.
   */
  announce(): void {
    if (this.#end !== undefined) {
      const { error } = this.#end;
      throw new LocalError(
        'connect-failed',
        `The connection ended as soon as it was established${error === undefined ? '.' : `: ${error.message}`}`,
        { cause: error },
      );
    }
    this.#state = 'announced';
  }

  /**
   * Sends a request of the agreed revision, whose `_meta` is that of the options, and resolves with its result in the neutral model, after whatever the
   * follow-ups make of its answers. Rejects with ProtocolError, LocalError.
   */
  request(method: string, params: JsonObject, options: SendingOptions = {}): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const refusal = this.#refusal(method, options);
      if (refusal !== undefined) {
        reject(refusal);
        return;
      }
      const {
        timeoutMs = this.#options.requestTimeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS,
        maxTotalMs = Infinity,
        signal,
        headers,
      } = options;
      const id = this.#peer.takeId();
      const request = new ActiveRequest(
        this,
        { id, method, params, options, resolve, reject },
        { inactivityMs: timeoutMs, totalMs: maxTotalMs },
      );
      this.#active.add(request);
      signal?.addEventListener('abort', request);
      this.#peer.call(
        { jsonrpc: '2.0', id, method, params: this.#wireParams(request) },
        request,
        headers === undefined ? undefined : { headers },
      );
    });
  }

  /** Sends a request without limits, progress, cancellation or follow-ups. */
  send(method: string, params: JsonObject, codec: Codec = this.codec): OutgoingRequest {
    return this.#peer.request(method, codec.encodeRequestParams(params, this.#identity));
  }

  /** Delivers the progress of a request that was answered with a task. Returns the function that ends it. */
  followProgress(request: SentRequest): () => void {
    this.#followed.set(request.id, request);
    return () => this.#followed.delete(request.id);
  }

  /** Stops waiting for a request and tells the server; nothing when it has ended already. */
  cancel(id: number, reason: string): void {
    if (!this.#peer.forget(id)) return;
    // The answer is no longer awaited, so a connection that has ended meanwhile changes nothing.
    this.#peer.notify('notifications/cancelled', { requestId: id, reason }).catch(() => undefined);
  }

  /** @throws LocalError `connection-lost` */
  async notify(method: string, params?: JsonObject): Promise<void> {
    try {
      await this.#peer.notify(method, params);
    } catch (error) {
      throw new LocalError('connection-lost', `${method} was not sent: the connection has ended.`, {
        cause: error,
      });
    }
  }

  /** Hears the notifications that are not about a request. Returns the function that ends it. */
  listen(listener: NotificationListener): () => void {
    return this.#notifications.listen(listener);
  }

  /** Runs a callback of the host, whose failure is told to `onProblem` and harms nothing else. */
  callBack(occasion: string, callback: () => void): void {
    this.#notifications.callBack(occasion, callback);
  }

  close(): Promise<void> {
    this.#isCloseAsked = true;
    return this.#peer.close();
  }

  /** Another connection takes its place: it closes when its last request has ended, and its end is not told. */
  retire(): void {
    this.#state = 'retired';
    this.#closeRetired();
  }

  answered(request: ActiveRequest, answer: Answer): void {
    this.#forget(request);
    try {
      const result = this.#read(request, answer);
      request.resolve(result);
    } catch (error) {
      const again =
        this.#state === 'connecting' ? undefined : this.#hooks.failed(this, request, error);
      if (again === undefined) request.reject(error);
      else request.resolve(again);
    }
  }

  aborted(request: ActiveRequest): void {
    const { method, options } = request;
    this.#interrupt(
      request,
      new LocalError('request-cancelled', `${method} was cancelled.`, {
        sent: true,
        cause: options.signal?.reason,
      }),
    );
  }

  #identify(identity: ClientIdentity): void {
    this.#identity = identity;
    this.#requestMeta = metaOf(this.codec.encodeRequestParams(undefined, identity));
  }

  #refusal(method: string, { signal, attempt }: SendingOptions): LocalError | undefined {
    if (!this.codec.clientRequests.has(method)) {
      return new LocalError(
        'method-not-in-era',
        `${method} does not exist in protocol version ${this.codec.version}.`,
      );
    }
    if (signal?.aborted === true) {
      return new LocalError('request-cancelled', `${method} was cancelled before it was sent.`, {
        sent: attempt !== undefined,
        cause: signal.reason,
      });
    }
    return this.#isCloseAsked
      ? new LocalError('connection-closed', `${method} was not sent: this client is closed.`)
      : undefined;
  }

  /** The id serves as the progress token. */
  #wireParams({ id, params, options: { meta, attempt } }: ActiveRequest): JsonObject {
    return {
      ...params,
      ...attempt?.input,
      _meta: { ...meta, ...this.#requestMeta, progressToken: id },
    };
  }

  #read(request: ActiveRequest, answer: Answer): JsonObject | Promise<JsonObject> {
    const { method } = request;
    const decoded = this.codec.decodeResult(method, readAnswer(method, answer));
    switch (decoded.kind) {
      case 'complete':
        return decoded.result;
      case 'input-required':
        if (!ASKING_METHODS.has(method))
          throw new LocalError(
            'invalid-response',
            `The server asked for input to answer ${method}, which it must not.`,
            { sent: true },
          );
        return this.#hooks.inputRequired(this, request, decoded);
      case 'task':
        return this.#hooks.taskCreated(this, request, decoded.task);
      case 'invalid':
        throw new LocalError(
          'invalid-response',
          `The server's result is unusable: ${decoded.detail}`,
          { sent: true },
        );
      default:
        return decoded satisfies never;
    }
  }

  #interrupt(request: ActiveRequest, error: LocalError): void {
    this.#forget(request);
    this.cancel(request.id, error.message);
    request.reject(error);
  }

  #forget(request: ActiveRequest): void {
    request.options.signal?.removeEventListener('abort', request);
    this.#active.delete(request);
    this.#closeRetired();
  }

  #closeRetired(): void {
    if (this.#state === 'retired' && this.#active.isEmpty) void this.close();
  }

  async #answer(
    request: JsonRpcRequest,
    { signal, relatedTo }: RunningRequest,
  ): Promise<Reply | undefined> {
    // A modern server must not send requests, and a client must not write responses to it.
    if (this.codec.era === 'modern') return undefined;
    return this.#questions.answer(request, this.codec, {
      signal,
      request: this.#asking(request, relatedTo),
    });
  }

  /** What belongs to a task says so wherever it comes. */
  #asking({ params }: JsonRpcRequest, relatedTo: RequestId | undefined): AskingRequest | undefined {
    const { [MetaKey.relatedTask]: task } = metaOf(params);
    const request = isJsonObject(task)
      ? this.#active.waitingFor(task.taskId)
      : this.#active.get(relatedTo);
    return request && askingRequest(request.method, request.params, request.options.meta);
  }

  /** A legacy server withdraws a question of its own; a modern one ends a subscription of ours. True when it was about a question. */
  #cancelled({ params = {} }: JsonRpcNotification): boolean {
    if (this.codec.era === 'modern') return false;
    const { requestId, reason } = params;
    if (isRequestId(requestId)) {
      this.#peer.cancel(
        requestId,
        new LocalError(
          'request-cancelled',
          `The server withdrew its question${typeof reason === 'string' ? `: ${reason}` : '.'}`,
        ),
      );
    }
    return true;
  }

  #closed(error: Error | undefined): void {
    this.#end = { error };
    this.#active.stop();
    this.#endController.abort(error);
    if (this.#state === 'announced')
      this.#hooks.ended(this, this.#isCloseAsked ? undefined : error);
  }
}

function knownRequest({ jsonrpc, id, method, params }: JsonRpcRequest): JsonRpcRequest {
  return {
    jsonrpc,
    id,
    method,
    ...(params === undefined ? {} : { params: knownQuestion(method, params) }),
  };
}
