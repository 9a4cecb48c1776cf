import { latestLegacyCodec } from '../../era/codecs.ts';
import type { ClientIdentity, Codec } from '../../era/codec.ts';
import { aroundOutgoing, type ClientMiddleware } from '../extensions/middleware.ts';
import { MetaKey, metaOf } from '../../era/meta-keys.ts';
import { isJsonObject, isRequestId } from '../../jsonrpc/envelope.ts';
import type {
  JsonObject,
  JsonRpcNotification,
  JsonRpcRequest,
  RequestId,
} from '../../jsonrpc/messages.ts';
import type { RequestOutcome, OutgoingRequest } from '../../jsonrpc/outgoing-request.ts';
import { Peer } from '../../jsonrpc/peer.ts';
import type { ResultOrError } from '../../jsonrpc/responses.ts';
import type { RunningRequest } from '../../jsonrpc/running-request.ts';
import type { Transport } from '../../jsonrpc/transport.ts';
import type { LoggingLevel } from '../../protocol/logging-levels.ts';
import { LocalError } from '../../protocol/errors.ts';
import { METHODS_WITH_INPUT } from '../../protocol/input-methods.ts';
import type { Task } from '../../protocol/tasks.ts';
import {
  ActiveRequest,
  type InputRequired,
  type SendingOptions,
  type SentRequest,
  sendOptionsOf,
} from '../requests/active-request.ts';
import { ActiveRequests } from '../requests/active-requests.ts';
import type { ClientOptions } from '../client-options.ts';
import type { OriginatingRequest } from '../input/input-handlers.ts';
import { declaredInRequests } from '../versioning/capabilities.ts';
import { NotificationDispatcher, type NotificationListener } from './notifications.ts';
import { originatingRequest } from '../input/input-request-handler.ts';
import { cancelledByCaller, cancelledByServer } from '../requests/cancellation.ts';
import { refusalOf } from '../requests/refusal.ts';
import { readResponse } from '../requests/read-response.ts';
import { ServerRequests } from '../input/server-requests.ts';

/** Continues requests whose response is not their result. */
export interface FollowUps {
  /** Called when the server requires input first. */
  inputRequired(
    connection: ClientConnection,
    request: SentRequest,
    inputRequired: InputRequired,
  ): Promise<JsonObject>;
  /** Called when a call became a task. */
  taskCreated(connection: ClientConnection, request: SentRequest, task: Task): Promise<JsonObject>;
  /**
   * Called when a request failed. Returns the result of sending it again, or `undefined` when the
   * error is final.
   */
  failed(
    connection: ClientConnection,
    request: SentRequest,
    error: unknown,
  ): Promise<JsonObject> | undefined;
}

export interface ConnectionHooks extends FollowUps {
  /** Called with each notification that does not belong to a request, before all other listeners. */
  notified(notification: JsonRpcNotification): void;
  /** Called when an announced connection ended and was not retired. `error` is absent after `close`. */
  ended(connection: ClientConnection, error: Error | undefined): void;
}

export const DEFAULT_REQUEST_TIMEOUT_MS = 60_000;

/** A connection to a server: requests with their progress, limits and cancellation, and the requests of a legacy server. */
export class ClientConnection {
  readonly middleware: readonly ClientMiddleware[] | undefined;
  /** Aborts when the connection ends. */
  readonly endSignal: AbortSignal;
  /** @see Transport.hasStreamPerRequest */
  readonly hasStreamPerRequest: boolean;
  /** @see Transport.carriesHeaders */
  readonly carriesHeaders: boolean;
  readonly #peer: Peer;
  readonly #options: ClientOptions;
  readonly #hooks: ConnectionHooks;
  readonly #serverRequests: ServerRequests;
  readonly #notifications: NotificationDispatcher;
  readonly #active = new ActiveRequests((request, problem) => {
    this.#interrupt(
      request,
      new LocalError('request-timeout', `${request.method} timed out: ${problem}.`, { sent: true }),
    );
  });
  /** Calls that became tasks and still receive progress. */
  readonly #callsWithTask = new Map<unknown, SentRequest>();
  readonly #endController = new AbortController();
  #identity: ClientIdentity;
  #codec: Codec | undefined;
  /** The constant part of each request's `_meta`. */
  #requestMeta: JsonObject = {};
  #end: { readonly error: Error | undefined } | undefined;
  #state: 'connecting' | 'announced' | 'retired' = 'connecting';
  #isCloseAsked = false;

  constructor(transport: Transport, options: ClientOptions, hooks: ConnectionHooks) {
    this.#options = options;
    this.#hooks = hooks;
    this.middleware = options.extensions?.middleware;
    this.hasStreamPerRequest = transport.hasStreamPerRequest === true;
    this.carriesHeaders = transport.carriesHeaders === true;
    this.endSignal = this.#endController.signal;
    this.#identity = {
      info: options.info,
      capabilities: declaredInRequests(options),
      ...(options.events?.onLog === undefined ? {} : { logLevel: 'info' }),
    };
    // An open request of the server pauses all limits: any active request may be waiting for its response.
    this.#serverRequests = new ServerRequests(options, (areOpen) => this.#active.pause(areOpen));
    this.#notifications = new NotificationDispatcher(options, {
      progressed: (token) => {
        const request = this.#active.get(token);
        request?.restartInactivity();
        return request ?? this.#callsWithTask.get(token);
      },
      cancelled: (notification) => this.#cancelled(notification),
      originOf: (notification, origin) => this.#originOf(notification, origin?.relatedTo),
    });
    this.#notifications.listen((notification) => hooks.notified(notification));
    this.#peer = new Peer(transport, {
      request: (request, running) => this.#respond(request, running),
      kept: (request) => this.#serverRequests.kept(request),
      notification: (notification, origin) => this.#notifications.dispatch(notification, origin),
      ended: (error) => this.#closed(error),
      acceptsBatch: () => this.#codec?.hasBatches === true,
      problem: (problem) => options.events?.onProblem?.(problem),
    });
  }

  /** The agreed revision; the latest legacy revision until there is one. */
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

  /** Sets the level of log messages that each later modern request asks for. */
  setLogLevel(logLevel: LoggingLevel): void {
    this.#identify({ ...this.#identity, logLevel });
  }

  /**
   * Marks the connection as established: from then on its end is reported to `ended`.
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
   * Sends a request in the agreed revision, with the `_meta` of the options. Resolves with its result in the neutral model, after input rounds, tasks and
   * retries. Rejects with ProtocolError, LocalError.
   */
  request(method: string, params: JsonObject, options: SendingOptions = {}): Promise<JsonObject> {
    // Later attempts belong to the request of the first, around which the middleware runs.
    if (options.attempt !== undefined)
      return this.requestWithoutMiddleware(method, params, options);
    return this.around(method, { params, options }, (changed, others) =>
      this.requestWithoutMiddleware(method, changed, others),
    );
  }

  /** Runs the middleware around a request that `send` sends. */
  around(
    method: string,
    { params, options }: { readonly params: JsonObject; readonly options: SendingOptions },
    send: (params: JsonObject, options: SendingOptions) => Promise<JsonObject>,
  ): Promise<JsonObject> {
    if (this.middleware === undefined) return send(params, options);
    return aroundOutgoing(this.middleware, { method, params, options, era: this.codec.era }, send);
  }

  /** Sends a request inside the middleware that runs around it, as `request` does. */
  requestWithoutMiddleware(
    method: string,
    params: JsonObject,
    options: SendingOptions,
  ): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const refusal = refusalOf(method, options, {
        codec: this.codec,
        isClosed: this.#isCloseAsked,
      });
      if (refusal !== undefined) {
        reject(refusal);
        return;
      }
      const {
        timeoutMs = this.#options.limits?.requestTimeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS,
        maxTotalMs = Infinity,
        signal,
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
        sendOptionsOf(options),
      );
    });
  }

  /** Sends a request without limits, progress, cancellation or follow-ups. */
  send(method: string, params: JsonObject, codec: Codec = this.codec): OutgoingRequest {
    return this.#peer.request(method, codec.encodeRequestParams(params, this.#identity));
  }

  /** Keeps delivering the progress of a call that became a task. Returns the function that stops it. */
  followProgress(request: SentRequest): () => void {
    this.#callsWithTask.set(request.id, request);
    return () => this.#callsWithTask.delete(request.id);
  }

  /** Stops waiting for a request and notifies the server; does nothing after the response. */
  cancel(id: number, reason: string): void {
    if (!this.#peer.forget(id)) return;
    // Nobody awaits the response, so the end of the connection does not matter.
    this.#peer.notify('notifications/cancelled', { requestId: id, reason })?.catch(() => undefined);
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

  /** Adds a listener for the notifications that do not belong to a request. Returns the function that removes it. */
  listen(listener: NotificationListener): () => void {
    return this.#notifications.listen(listener);
  }

  /** Runs a callback of the host; reports its failure to `onProblem`. */
  callBack(occasion: string, callback: () => unknown): void {
    this.#notifications.callBack(occasion, callback);
  }

  close(): Promise<void> {
    this.#isCloseAsked = true;
    return this.#peer.close();
  }

  /** Closes the connection after its last active request, without reporting its end. */
  retire(): void {
    this.#state = 'retired';
    this.#closeRetired();
  }

  settled(request: ActiveRequest, outcome: RequestOutcome): void {
    this.#forget(request);
    try {
      const result = this.#read(request, outcome);
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
    this.#interrupt(request, cancelledByCaller(method, options.signal));
  }

  #identify(identity: ClientIdentity): void {
    this.#identity = identity;
    this.#requestMeta = metaOf(this.codec.encodeRequestParams(undefined, identity));
  }

  /** Builds the params as sent; the id is also the progress token. */
  #wireParams({ id, params, options: { meta, attempt } }: ActiveRequest): JsonObject {
    return {
      ...params,
      ...attempt?.input,
      _meta: { ...meta, ...this.#requestMeta, progressToken: id },
    };
  }

  #read(request: ActiveRequest, outcome: RequestOutcome): JsonObject | Promise<JsonObject> {
    const { method } = request;
    const decoded = this.codec.decodeResult(method, readResponse(method, outcome));
    switch (decoded.kind) {
      case 'complete':
        return decoded.result;
      case 'input-required':
        if (!METHODS_WITH_INPUT.has(method))
          throw new LocalError(
            'invalid-response',
            `The server asked for input to answer ${method}, which the specification does not allow.`,
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

  async #respond(
    request: JsonRpcRequest,
    { signal, relatedTo }: RunningRequest,
  ): Promise<ResultOrError | undefined> {
    // A modern server must not send requests, and a client must not write responses to it.
    if (this.codec.era === 'modern') return undefined;
    return this.#serverRequests.respond(request, this.codec, {
      signal,
      request: this.#originOf(request, relatedTo),
    });
  }

  /** Finds the request to which a message belongs: the call of the related task, or the request on whose stream it came. */
  #originOf(
    { params }: JsonRpcRequest | JsonRpcNotification,
    relatedTo: RequestId | undefined,
  ): OriginatingRequest | undefined {
    const { [MetaKey.relatedTask]: task } = metaOf(params);
    const request = isJsonObject(task)
      ? this.#active.waitingFor(task.taskId)
      : this.#active.get(relatedTo);
    return request && originatingRequest(request.method, request.params, request.options.meta);
  }

  /** Cancels a request of a legacy server. Returns false in the modern era, where the notification ends a subscription. */
  #cancelled({ params = {} }: JsonRpcNotification): boolean {
    if (this.codec.era === 'modern') return false;
    const { requestId, reason } = params;
    if (isRequestId(requestId)) {
      this.#peer.cancel(requestId, cancelledByServer(reason));
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
