import { latestLegacyCodec } from '../era/codecs.ts';
import type { ClientIdentity, Codec } from '../era/codec.ts';
import { metaOf } from '../era/meta-keys.ts';
import { isRequestId } from '../jsonrpc/envelope.ts';
import type { JsonObject, JsonRpcNotification, JsonRpcRequest } from '../jsonrpc/messages.ts';
import { type OutgoingRequest, Peer, type Reply } from '../jsonrpc/peer.ts';
import type { Transport } from '../jsonrpc/transport.ts';
import type { Progress } from '../protocol/capabilities.ts';
import { LocalError } from '../protocol/errors.ts';
import { isLoggingLevel } from '../protocol/logging-levels.ts';
import type { ClientOptions, LogEntry, RequestOptions } from './client.ts';
import { readAnswer } from './read-answer.ts';
import { RequestClock } from './request-clock.ts';
import { ServerQuestions } from './server-questions.ts';

/** Hears the notifications that belong to no request. */
export type NotificationListener = (notification: JsonRpcNotification) => void;

interface ActiveRequest {
  readonly clock: RequestClock;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

export const DEFAULT_REQUEST_TIMEOUT_MS = 60_000;

/** One connection to a server: our requests with their progress, limits and cancellation, and the server's questions. */
export class Connection {
  readonly #peer: Peer;
  readonly #options: ClientOptions;
  readonly #identity: ClientIdentity;
  readonly #questions: ServerQuestions;
  readonly #active = new Map<unknown, ActiveRequest>();
  readonly #listeners = new Set<NotificationListener>();
  #codec: Codec | undefined;
  #lastProgressToken = 0;
  #end: { readonly error: Error | undefined } | undefined;
  #isAnnounced = false;
  #isCloseAsked = false;

  constructor(transport: Transport, options: ClientOptions) {
    this.#options = options;
    // Multi-round-trip questions are not answered yet, so nothing may be declared that leads to them.
    this.#identity = { info: options.info, capabilities: {}, ...(options.onLog === undefined ? {} : { logLevel: 'info' }) };
    this.#questions = new ServerQuestions(options.handlers ?? {}, (areOpen) => this.#questionsChanged(areOpen));
    this.#peer = new Peer(transport, {
      request: (request, signal) => this.#answer(request, signal),
      notification: (notification) => this.callBack(notification.method, () => this.#dispatch(notification)),
      closed: (error) => this.#closed(error),
      acceptsBatch: () => this.#codec?.hasBatches === true,
      problem: (problem) => options.onProblem?.(problem),
    });
  }

  /** The revision agreed on; the latest legacy one until then. */
  get codec(): Codec {
    return this.#codec ?? latestLegacyCodec;
  }

  /** Starts the transport; call once. */
  start(): Promise<void> {
    return this.#peer.start();
  }

  agreeOn(codec: Codec): void {
    this.#codec = codec;
  }

  /**
   * Ends connecting: from here on the end of the connection is told to `onClosed`.
   * @throws LocalError `connect-failed` when it has ended already.
   */
  announce(): void {
    if (this.#end !== undefined) {
      const { error } = this.#end;
      throw new LocalError('connect-failed', `The connection ended as soon as it was established${error === undefined ? '.' : `: ${error.message}`}`, { cause: error });
    }
    this.#isAnnounced = true;
  }

  /**
   * Sends a request of the agreed revision and resolves with its result in the neutral model.
   * @throws ProtocolError, LocalError
   */
  async request(method: string, params: JsonObject, options: RequestOptions = {}): Promise<JsonObject> {
    const { codec } = this;
    if (!codec.clientRequests.has(method)) {
      throw new LocalError('method-not-in-era', `${method} does not exist in protocol version ${codec.version}.`);
    }
    const result = codec.decodeResult(method, await this.#exchange(method, params, options));
    switch (result.kind) {
      case 'complete':
        return result.result;
      case 'input-required':
        throw new LocalError('capability-missing', `The server asked for input before it answers ${method}, which this client does not support yet.`, { sent: true });
      case 'invalid':
        throw new LocalError('invalid-response', `The server's result is unusable: ${result.detail}`, { sent: true });
      default:
        return result satisfies never;
    }
  }

  /** Sends a request without limits, progress or cancellation. */
  send(method: string, params: JsonObject, codec: Codec = this.codec): OutgoingRequest {
    return this.#peer.request(method, codec.encodeRequestParams(params, this.#identity));
  }

  /** Stops waiting for a request and tells the server; nothing when it has ended already. */
  cancel(request: OutgoingRequest, reason: string): void {
    if (!request.forget()) return;
    // The answer is no longer awaited, so a connection that has ended meanwhile changes nothing.
    this.#peer.notify('notifications/cancelled', { requestId: request.id, reason }).catch(() => undefined);
  }

  /** @throws LocalError `connection-lost` */
  async notify(method: string, params?: JsonObject): Promise<void> {
    try {
      await this.#peer.notify(method, params);
    } catch (error) {
      throw new LocalError('connection-lost', `${method} was not sent: the connection has ended.`, { cause: error });
    }
  }

  /** Returns the function that ends it. */
  listen(listener: NotificationListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Runs a callback of the host, whose failure is told to `onProblem` and harms nothing else. */
  callBack(occasion: string, callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.#options.onProblem?.(new Error(`A callback for ${occasion} failed`, { cause: error }));
    }
  }

  close(): Promise<void> {
    this.#isCloseAsked = true;
    return this.#peer.close();
  }

  async #exchange(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    const { signal, timeoutMs = this.#options.requestTimeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS, maxTotalMs = Infinity, meta, onProgress } = options;
    if (signal?.aborted === true) {
      throw new LocalError('request-cancelled', `${method} was cancelled before it was sent.`, { sent: false, cause: signal.reason });
    }
    if (this.#isCloseAsked) {
      throw new LocalError('connection-closed', `${method} was not sent: this client is closed.`);
    }
    this.#lastProgressToken += 1;
    const progressToken = this.#lastProgressToken;
    const request = this.send(method, { ...params, _meta: { ...metaOf(params), ...meta, progressToken } });
    const interruption = Promise.withResolvers<LocalError>();
    const interrupt = (error: LocalError): void => {
      this.#active.delete(progressToken);
      this.cancel(request, error.message);
      interruption.resolve(error);
    };
    const onAbort = (): void => {
      interrupt(new LocalError('request-cancelled', `${method} was cancelled.`, { sent: true, cause: signal?.reason }));
    };
    const clock = new RequestClock({ inactivityMs: timeoutMs, maxTotalMs }, (problem) => {
      interrupt(new LocalError('request-timeout', `${method} timed out: ${problem}.`, { sent: true }));
    });
    this.#active.set(progressToken, { clock, onProgress });
    signal?.addEventListener('abort', onAbort);
    if (!this.#questions.areOpen) {
      clock.run();
    }
    try {
      const end = await Promise.race([request.answer, interruption.promise]);
      if (end instanceof LocalError) {
        throw end;
      }
      return readAnswer(method, end);
    } finally {
      clock.stop();
      signal?.removeEventListener('abort', onAbort);
      this.#active.delete(progressToken);
    }
  }

  async #answer(request: JsonRpcRequest, signal: AbortSignal): Promise<Reply | undefined> {
    // A modern server must not send requests, and a client must not write responses to it.
    return this.codec.era === 'modern' ? undefined : this.#questions.answer(request, this.codec, signal);
  }

  #dispatch(notification: JsonRpcNotification): void {
    const { method, params = {} } = notification;
    switch (method) {
      case 'notifications/progress':
        this.#progressed(params);
        break;
      case 'notifications/message':
        this.#options.onLog?.(readLogEntry(params));
        break;
      case 'notifications/tools/list_changed':
        this.#options.onToolsChanged?.();
        break;
      case 'notifications/resources/list_changed':
        this.#options.onResourcesChanged?.();
        break;
      case 'notifications/prompts/list_changed':
        this.#options.onPromptsChanged?.();
        break;
      case 'notifications/cancelled':
        this.#cancelled(notification);
        break;
      default:
        this.#tellListeners(notification);
    }
  }

  #progressed(params: JsonObject): void {
    const request = this.#active.get(params.progressToken);
    const progress = readProgress(params);
    if (request !== undefined && progress !== undefined) {
      request.clock.restart();
      request.onProgress?.(progress);
    }
  }

  /** A legacy server withdraws a question of its own; a modern one ends a subscription of ours. */
  #cancelled(notification: JsonRpcNotification): void {
    const { requestId, reason } = notification.params ?? {};
    if (this.codec.era === 'modern') {
      this.#tellListeners(notification);
    } else if (isRequestId(requestId)) {
      this.#peer.cancel(requestId, new LocalError('request-cancelled', `The server withdrew its question${typeof reason === 'string' ? `: ${reason}` : '.'}`));
    }
  }

  #tellListeners(notification: JsonRpcNotification): void {
    for (const listener of this.#listeners) {
      listener(notification);
    }
  }

  #questionsChanged(areOpen: boolean): void {
    for (const { clock } of this.#active.values()) {
      if (areOpen) {
        clock.pause();
      } else {
        clock.run();
      }
    }
  }

  #closed(error: Error | undefined): void {
    this.#end = { error };
    if (this.#isAnnounced) {
      this.callBack('the end of the connection', () => this.#options.onClosed?.(this.#isCloseAsked ? undefined : error));
    }
  }
}

function readProgress(params: JsonObject): Progress | undefined {
  const { progress, total, message } = params;
  if (typeof progress !== 'number') {
    return undefined;
  }
  return { progress, ...(typeof total === 'number' ? { total } : {}), ...(typeof message === 'string' ? { message } : {}) };
}

/** An unknown level is read as `info`. */
function readLogEntry(params: JsonObject): LogEntry {
  const { level, logger, data } = params;
  return { level: isLoggingLevel(level) ? level : 'info', ...(typeof logger === 'string' ? { logger } : {}), data };
}
