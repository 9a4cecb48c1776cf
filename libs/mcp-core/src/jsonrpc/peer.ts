import { batchEntries, MAX_BATCH, type BatchEntry } from './batch-entries.ts';
import { readEnvelope, type OtherEnvelope } from './envelope.ts';
import type {
  JsonObject,
  JsonRpcBatch,
  JsonRpcErrorObject,
  JsonRpcMessage,
  JsonRpcRequest,
  JsonRpcResponse,
  RequestId,
} from './messages.ts';
import type { OutcomeReceiver, OutgoingRequest, RequestOutcome } from './outgoing-request.ts';
import type { PeerHandlers } from './peer-handlers.ts';
import { peerProblem, toError } from './peer-problem.ts';
import {
  errorResponse,
  insteadOf,
  INTERNAL_ERROR,
  refusal,
  responseTo,
  type ResultOrError,
} from './responses.ts';
import { RunningRequest } from './running-request.ts';
import type {
  MessageOrigin,
  SendOptions,
  Transport,
  TransportReceiver,
  UnreadableMessage,
} from './transport.ts';

/**
 * Maximum number of the peer's requests that run at once; more are refused with an error. Leaving
 * them unread until there is room would also leave unread the responses and cancellations that the
 * running requests wait for. One read of a pipe delivers at most some 1,700 requests.
 */
const MAX_RUNNING = 4096;

/**
 * A JSON-RPC endpoint over a transport: numbers its own requests (ids from 1, never reused),
 * matches their responses, and dispatches the peer's requests.
 */
export class Peer implements TransportReceiver {
  readonly #transport: Transport;
  readonly #handlers: PeerHandlers;
  /**
   * Both maps exist only while they have entries: idle sessions are many, and empty maps would take
   * most of their memory.
   */
  #pending: Map<RequestId, OutcomeReceiver> | undefined;
  #running: Map<RequestId, RunningRequest> | undefined;
  #handlersRunning = 0;
  #idle: PromiseWithResolvers<void> | undefined;
  #nextId = 1;
  #isInputEnded = false;
  #isClosed = false;

  constructor(transport: Transport, handlers: PeerHandlers) {
    this.#transport = transport;
    this.#handlers = handlers;
  }

  /** Starts the transport; call once. */
  async start(): Promise<void> {
    await this.#transport.start(this);
  }

  /** Sends a request without delay. */
  request(method: string, params?: JsonObject, options?: SendOptions): OutgoingRequest {
    const id = this.takeId();
    const { promise, resolve } = Promise.withResolvers<RequestOutcome>();
    this.call(
      { jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) },
      { settled: resolve },
      options,
    );
    return { id, outcome: promise, forget: () => this.forget(id) };
  }

  /** Returns an id for the next `call`. */
  takeId(): number {
    return this.#nextId++;
  }

  /**
   * Sends a request, whose id is from `takeId`, without delay; like `request`, without the promise.
   */
  call(request: JsonRpcRequest, receiver: OutcomeReceiver, options?: SendOptions): void {
    const { id } = request;
    this.#pending ??= new Map();
    this.#pending.set(id, receiver);
    if (this.#isInputEnded || this.#isClosed) {
      this.#settle(id, { kind: 'unsent', error: new Error('The connection is closed') });
      return;
    }
    this.#post(request, options)?.catch((error: unknown) => {
      this.#settle(id, { kind: 'unsent', error: toError(error) });
    });
  }

  /**
   * Stops waiting for the response to a sent request; a late response is dropped. Returns false
   * when the request has already ended.
   */
  forget(id: RequestId): boolean {
    return this.#pending?.delete(id) ?? false;
  }

  /**
   * Returns `undefined` when the transport can take another message immediately, otherwise a promise
   * that resolves when it can; rejects when this one was not sent.
   */
  notify(method: string, params?: JsonObject, options?: SendOptions): Promise<void> | undefined {
    return this.#post(
      params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params },
      options,
    );
  }

  /**
   * Closes the stream of a running request of the peer, if the transport has a stream for each
   * request.
   */
  closeStream(id: RequestId): void {
    this.#transport.closeStream?.(id);
  }

  /**
   * Cancels a running request of the peer and drops its response. Returns false when no such
   * request is running.
   */
  cancel(id: RequestId, reason?: unknown): boolean {
    const running = this.#running?.get(id);
    if (running === undefined || running.hasResponse) return false;
    this.#running?.delete(id);
    running.cancel(reason);
    return true;
  }

  /**
   * Resolves when the running requests of the peer with these ids, by default all, have sent their
   * responses or need none.
   */
  async responded(ids?: ReadonlySet<RequestId>): Promise<void> {
    const waiting = [...(this.#running?.values() ?? [])].filter(
      ({ request }) => ids?.has(request.id) ?? true,
    );
    await Promise.all(waiting.map(({ ended }) => ended));
  }

  /** Resolves when no handler runs, including handlers of cancelled requests. */
  async idle(): Promise<void> {
    if (this.#handlersRunning === 0) return;
    this.#idle ??= Promise.withResolvers<void>();
    await this.#idle.promise;
  }

  /** Closes the transport; idempotent. */
  close(): Promise<void> {
    return this.#transport.close();
  }

  /** Called by the transport, like the four methods that follow. */
  message(value: unknown, origin?: MessageOrigin): void {
    const envelope = readEnvelope(value);
    if (envelope.kind === 'request') void this.#serve(envelope.message, origin);
    else if (
      envelope.kind === 'batch' &&
      envelope.entries.length > 0 &&
      this.#handlers.acceptsBatch?.() === true
    )
      this.#receiveBatch(envelope.entries, origin);
    else void this.#deliver(this.#take(envelope, origin), undefined);
  }

  unreadable(problem: UnreadableMessage): void {
    if (problem.answers !== undefined) {
      this.#problem(`A response was refused: ${problem.detail}`);
      this.#settle(problem.answers, { kind: 'refused', detail: problem.detail });
      return;
    }
    const code = problem.reason === 'parse-error' ? -32700 : -32600;
    const response = this.#refuse(problem.requests, {
      code,
      message: `${problem.reason === 'parse-error' ? 'Parse error' : 'Invalid request'}: ${problem.detail}`,
    });
    void this.#deliver(response, undefined);
  }

  requestFailed(id: RequestId, error: Error): void {
    this.#settle(id, { kind: 'closed', error });
  }

  inputEnded(): void {
    this.#isInputEnded = true;
    this.#settleAll(undefined);
    if (this.#handlers.inputEnded === undefined) void this.close();
    else this.#handlers.inputEnded();
  }

  closed(error?: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#settleAll(error);
    const reason = error ?? new Error('The connection is closed');
    for (const running of this.#running?.values() ?? []) running.cancel(reason);
    this.#running = undefined;
    this.#handlers.ended(error);
  }

  #receiveBatch(entries: readonly unknown[], origin: MessageOrigin | undefined): void {
    const isTooLong = entries.length > MAX_BATCH;
    for (const [index, respond] of batchEntries(entries.length, (responses) =>
      this.#send(responses),
    ).entries()) {
      const envelope = readEnvelope(entries[index]);
      if (envelope.kind !== 'request') void respond(this.#take(envelope, origin));
      else if (isTooLong)
        void respond(
          refusal(envelope.message.id, `a batch holds at most ${String(MAX_BATCH)} messages`),
        );
      else void this.#serve(envelope.message, origin, respond);
    }
  }

  #serve(
    whole: JsonRpcRequest,
    origin: MessageOrigin | undefined,
    entry?: BatchEntry,
  ): Promise<void> | undefined {
    const request = this.#handlers.kept === undefined ? whole : this.#handlers.kept(whole);
    const { id } = request;
    if (this.#running?.get(id)?.hasResponse === false)
      return this.#deliver(refusal(id, 'this id is in use by a running request'), entry);
    if (this.#handlersRunning >= MAX_RUNNING)
      return this.#deliver(
        refusal(id, `${String(MAX_RUNNING)} requests are running; wait for responses`),
        entry,
      );
    const running = new RunningRequest(request, origin);
    this.#running ??= new Map();
    this.#running.set(id, running);
    return this.#answer(running, entry);
  }

  /** Responds synchronously when the handler returns no promise. Never rejects. */
  #answer(running: RunningRequest, entry: BatchEntry | undefined): Promise<void> | undefined {
    const { request } = running;
    this.#handlersRunning += 1;
    let outcome: ReturnType<PeerHandlers['request']>;
    try {
      outcome = this.#handlers.request(request, running);
    } catch (error) {
      outcome = this.#failed(request, error);
    }
    return outcome instanceof Promise
      ? this.#answerLater(running, outcome, entry)
      : this.#respond(running, outcome, entry);
  }

  async #answerLater(
    running: RunningRequest,
    outcome: Promise<ResultOrError | undefined>,
    entry: BatchEntry | undefined,
  ): Promise<void> {
    let response: ResultOrError | undefined;
    try {
      // A batch does not wait for the handler of a cancelled request.
      response = await (entry === undefined
        ? outcome
        : Promise.race([outcome, running.ended.then(() => undefined)]));
    } catch (error) {
      response = this.#failed(running.request, error);
    }
    await this.#respond(running, response, entry);
  }

  #failed({ method }: JsonRpcRequest, error: unknown): ResultOrError {
    this.#problem(`The handler of ${method} failed`, error);
    return { error: INTERNAL_ERROR };
  }

  #respond(
    running: RunningRequest,
    response: ResultOrError | undefined,
    entry: BatchEntry | undefined,
  ): Promise<void> | undefined {
    this.#handlersRunning -= 1;
    if (this.#handlersRunning === 0) this.#idle?.resolve();
    running.responded();
    const delivering = this.#deliver(
      running.isCancelled || response === undefined
        ? undefined
        : responseTo(running.request.id, response),
      entry,
    );
    if (delivering !== undefined) return delivering.then(() => this.#end(running));
    this.#end(running);
    return undefined;
  }

  #end(running: RunningRequest): void {
    const { id } = running.request;
    running.end();
    if (this.#running?.get(id) === running) this.#running.delete(id);
    if (this.#running?.size === 0) this.#running = undefined;
  }

  #deliver(
    response: JsonRpcResponse | undefined,
    entry: BatchEntry | undefined,
  ): Promise<void> | undefined {
    if (entry !== undefined) return entry(response);
    return response === undefined ? undefined : this.#send(response);
  }

  /**
   * Returns `undefined` when the transport can take another message, otherwise a promise for that or
   * for the end of the connection; never rejects.
   */
  #send(message: JsonRpcResponse | readonly JsonRpcResponse[]): Promise<void> | undefined {
    return this.#post(message)?.catch((error: unknown) => this.#unsent(message, error));
  }

  /** Reports the failure, and sends an internal error instead of a response that cannot be serialized. */
  async #unsent(
    message: JsonRpcResponse | readonly JsonRpcResponse[],
    error: unknown,
  ): Promise<void> {
    this.#problem('A response could not be sent', error);
    if (!this.#isClosed) await this.#post(insteadOf(message))?.catch(() => undefined);
  }

  /** Sends a message; a transport's exception becomes a rejection. */
  #post(message: JsonRpcMessage | JsonRpcBatch, options?: SendOptions): Promise<void> | undefined {
    try {
      return this.#transport.send(message, options);
    } catch (error) {
      return Promise.reject(toError(error));
    }
  }

  #take(envelope: OtherEnvelope, origin: MessageOrigin | undefined): JsonRpcResponse | undefined {
    switch (envelope.kind) {
      case 'notification':
        this.#handlers.notification(envelope.message, origin);
        return undefined;
      case 'result':
        this.#settle(envelope.message.id, { kind: 'result', result: envelope.message.result });
        return undefined;
      case 'error':
        this.#takeError(envelope.message.id, envelope.message.error);
        return undefined;
      case 'invalid-response':
        this.#problem(`Unusable response: ${envelope.detail}`);
        if (envelope.id !== undefined)
          this.#settle(envelope.id, { kind: 'invalid', detail: envelope.detail });
        return undefined;
      case 'batch':
        return this.#refuse(undefined, {
          code: -32600,
          message: 'Invalid request: a message must be a JSON object',
        });
      case 'invalid':
        return this.#refuse(envelope.id, {
          code: -32600,
          message: `Invalid request: ${envelope.detail}`,
        });
      default:
        return envelope satisfies never;
    }
  }

  #takeError(id: RequestId | undefined, error: JsonRpcErrorObject): void {
    if (id === undefined) this.#problem(`The peer could not read a message: ${error.message}`);
    else this.#settle(id, { kind: 'error', error });
  }

  #refuse(id: RequestId | undefined, error: JsonRpcErrorObject): JsonRpcResponse | undefined {
    this.#problem(error.message);
    if (id === undefined && this.#handlers.answersWithoutId?.() !== true) return undefined;
    return errorResponse(id, error);
  }

  #settle(id: RequestId, outcome: RequestOutcome): void {
    const receiver = this.#pending?.get(id);
    if (receiver === undefined) return;
    this.#pending?.delete(id);
    if (this.#pending?.size === 0) this.#pending = undefined;
    receiver.settled(outcome);
  }

  #settleAll(error: Error | undefined): void {
    for (const id of this.#pending?.keys() ?? []) this.#settle(id, { kind: 'closed', error });
  }

  #problem(message: string, cause?: unknown): void {
    this.#handlers.problem?.(peerProblem(message, cause));
  }
}
