import { readEnvelope, type Envelope } from './envelope.ts';
import type { JsonObject, JsonRpcBatch, JsonRpcErrorObject, JsonRpcNotification, JsonRpcRequest, JsonRpcResponse, RequestId } from './messages.ts';
import type { MessageOrigin, SendOptions, Transport, UnreadableMessage } from './transport.ts';

/** How a request of ours ended. */
export type Answer =
  | { readonly kind: 'result'; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly error: JsonRpcErrorObject }
  /** The peer answered something that is not JSON-RPC. */
  | { readonly kind: 'invalid'; readonly detail: string }
  /** Nothing of the request left this process. */
  | { readonly kind: 'unsent'; readonly error: Error }
  /** The connection ended first; the peer may have received the request. */
  | { readonly kind: 'closed'; readonly error: Error | undefined };

/** What a request of the peer is answered with. */
export type Reply = { readonly result: JsonObject } | { readonly error: JsonRpcErrorObject };

/** Waits for the answer to a request of ours. */
export interface AnswerReceiver {
  /** Called once, never during `call`'s own run unless nothing could be sent. Must not throw. */
  answered(answer: Answer): void;
}

export interface OutgoingRequest {
  readonly id: number;
  /** Never rejects. */
  readonly answer: Promise<Answer>;
  /** Stops waiting: `answer` stays pending and a late answer is swallowed. False when it has ended before. Telling the peer is the caller's business. */
  forget(): boolean;
}

export interface PeerHandlers {
  /**
   * Answers a request; `undefined` sends nothing. Called in wire order; the replies go out as they become ready. `signal` aborts on `cancel` and
   * when the connection ends; a reply that comes after that is dropped. A rejection is answered with -32603 and reported to `problem`.
   */
  request(request: JsonRpcRequest, signal: AbortSignal, origin: MessageOrigin | undefined): Promise<Reply | undefined>;
  /** Called in wire order with the requests. Must not throw. */
  notification(notification: JsonRpcNotification): void;
  /** The peer asks nothing more and answers nothing more; what it asked before can be answered until `close`. Default: closes at once. */
  inputEnded?(): void;
  /** Called once, last. `error` says why, when the end was not asked for. */
  closed(error?: Error): void;
  /** Whether a message that is no JSON-RPC, and whose id cannot be read, is answered with an error without id. Default no. */
  answersWithoutId?(): boolean;
  /** Whether arrays are read as batches; else they are invalid requests. Default no. */
  acceptsBatch?(): boolean;
  /** Something that was survived: unreadable input, a useless answer, a rejected handler. */
  problem?(error: Error): void;
}

const INTERNAL_ERROR: JsonRpcErrorObject = { code: -32603, message: 'Internal error' };

/** One end of a JSON-RPC conversation over a transport: numbers and matches our requests (ids from 1, never reused), dispatches the peer's. */
export class Peer {
  readonly #transport: Transport;
  readonly #handlers: PeerHandlers;
  readonly #pending = new Map<RequestId, AnswerReceiver>();
  readonly #running = new Map<RequestId, AbortController>();
  /** The answers under way, with the id of their request; those of a batch and to what is invalid have none. */
  readonly #answering = new Map<Promise<void>, RequestId | undefined>();
  #nextId = 1;
  #isInputEnded = false;
  #isClosed = false;

  constructor(transport: Transport, handlers: PeerHandlers) {
    this.#transport = transport;
    this.#handlers = handlers;
  }

  /** Starts the transport; call once. */
  async start(): Promise<void> {
    await this.#transport.start({
      message: (value, origin) => {
        this.#receive(value, origin);
      },
      unreadable: (problem) => {
        this.#unreadable(problem);
      },
      requestFailed: (id, error) => {
        this.#settle(id, { kind: 'closed', error });
      },
      inputEnded: () => {
        this.#inputEnded();
      },
      closed: (error) => {
        this.#closed(error);
      },
    });
  }

  /** Sends a request at once. */
  request(method: string, params?: JsonObject, options?: SendOptions): OutgoingRequest {
    const id = this.takeId();
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.call({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) }, { answered: resolve }, options);
    return { id, answer: promise, forget: () => this.forget(id) };
  }

  /** An id for the next `call`. */
  takeId(): number {
    return this.#nextId++;
  }

  /** Sends a request, whose id is from `takeId`, at once; `request` without its promise. */
  call(request: JsonRpcRequest, receiver: AnswerReceiver, options?: SendOptions): void {
    const { id } = request;
    this.#pending.set(id, receiver);
    if (this.#isInputEnded || this.#isClosed) {
      this.#settle(id, { kind: 'unsent', error: new Error('The connection is closed') });
      return;
    }
    this.#transport.send(request, options).catch((error: unknown) => {
      this.#settle(id, { kind: 'unsent', error: toError(error) });
    });
  }

  /** Stops waiting for the answer to a request of ours; a late one is swallowed. False when it has ended before. */
  forget(id: RequestId): boolean {
    return this.#pending.delete(id);
  }

  /** Resolves when the transport can take another message; rejects when this one was not sent. */
  async notify(method: string, params?: JsonObject, options?: SendOptions): Promise<void> {
    await this.#transport.send({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) }, options);
  }

  /** Ends the stream of a running request of the peer, where the transport has one for each. */
  closeStream(id: RequestId): void {
    this.#transport.closeStream?.(id);
  }

  /** Aborts the signal of a running request of the peer and drops its reply. False when no such request is running. */
  cancel(id: RequestId, reason?: unknown): boolean {
    const controller = this.#running.get(id);
    this.#running.delete(id);
    controller?.abort(reason);
    return controller !== undefined;
  }

  /** Resolves when the running requests of the peer with these ids, by default all, have their answers on the way or need none. */
  async answered(ids?: ReadonlySet<RequestId>): Promise<void> {
    const waiting = [...this.#answering].filter(([, id]) => ids === undefined || (id !== undefined && ids.has(id)));
    await Promise.all(waiting.map(([answering]) => answering));
  }

  /** Closes the transport; idempotent. */
  close(): Promise<void> {
    return this.#transport.close();
  }

  #settle(id: RequestId, answer: Answer): void {
    const receiver = this.#pending.get(id);
    if (receiver === undefined) return;
    this.#pending.delete(id);
    receiver.answered(answer);
  }

  #receive(value: unknown, origin: MessageOrigin | undefined): void {
    const envelope = readEnvelope(value);
    const isBatch = envelope.kind === 'batch' && envelope.entries.length > 0 && this.#handlers.acceptsBatch?.() === true;
    const answering = this.#send(isBatch ? this.#dispatchBatch(envelope.entries, origin) : this.#dispatch(envelope, origin));
    this.#answering.set(answering, envelope.kind === 'request' ? envelope.message.id : undefined);
    void answering.then(() => this.#answering.delete(answering));
  }

  async #send(response: Promise<JsonRpcResponse | JsonRpcBatch | undefined>): Promise<void> {
    const message = await response;
    if (message === undefined) return;
    try {
      await this.#transport.send(message);
    } catch (error) {
      this.#problem('An answer could not be sent', error);
      if (!this.#isClosed) await this.#sendInstead(message);
    }
  }

  /** An answer that cannot be serialized must not leave its request unanswered. */
  async #sendInstead(message: JsonRpcResponse | JsonRpcBatch): Promise<void> {
    const responses = [message].flat() as readonly JsonRpcResponse[];
    const errors = responses.map(({ id }): JsonRpcResponse => ({ jsonrpc: '2.0', ...(id === undefined ? {} : { id }), error: INTERNAL_ERROR }));
    const [first] = errors;
    if (first !== undefined) await this.#transport.send(Array.isArray(message) ? errors : first).catch(() => undefined);
  }

  async #dispatchBatch(entries: readonly unknown[], origin: MessageOrigin | undefined): Promise<JsonRpcBatch | undefined> {
    const responses = await Promise.all(entries.map((entry) => this.#dispatch(readEnvelope(entry), origin)));
    const present = responses.filter((response) => response !== undefined);
    return present.length === 0 ? undefined : present;
  }

  /** Handles one message; resolves with what is to be sent back. */
  #dispatch(envelope: Envelope, origin: MessageOrigin | undefined): Promise<JsonRpcResponse | undefined> {
    if (envelope.kind === 'request') return this.#answer(envelope.message, origin);
    return Promise.resolve(this.#take(envelope));
  }

  #take(envelope: Exclude<Envelope, { kind: 'request' }>): JsonRpcResponse | undefined {
    switch (envelope.kind) {
      case 'notification':
        this.#handlers.notification(envelope.message);
        return undefined;
      case 'result':
        this.#settle(envelope.message.id, { kind: 'result', result: envelope.message.result });
        return undefined;
      case 'error':
        this.#takeError(envelope.message.id, envelope.message.error);
        return undefined;
      case 'invalid-answer':
        this.#problem(`Unusable answer: ${envelope.detail}`);
        if (envelope.id !== undefined) this.#settle(envelope.id, { kind: 'invalid', detail: envelope.detail });
        return undefined;
      case 'batch':
        return this.#refuse(undefined, { code: -32600, message: 'Invalid request: a message must be a JSON object' });
      case 'invalid':
        return this.#refuse(envelope.id, { code: -32600, message: `Invalid request: ${envelope.detail}` });
      default:
        return undefined;
    }
  }

  async #answer(request: JsonRpcRequest, origin: MessageOrigin | undefined): Promise<JsonRpcResponse | undefined> {
    const { id } = request;
    if (this.#running.has(id)) return { jsonrpc: '2.0', id, error: { code: -32600, message: 'Invalid request: this id is in use by a running request' } };
    const controller = new AbortController();
    this.#running.set(id, controller);
    const reply = await this.#reply(request, controller.signal, origin);
    if (this.#running.get(id) !== controller) return undefined;
    this.#running.delete(id);
    return reply && { jsonrpc: '2.0', id, ...reply };
  }

  async #reply(request: JsonRpcRequest, signal: AbortSignal, origin: MessageOrigin | undefined): Promise<Reply | undefined> {
    try {
      return await this.#handlers.request(request, signal, origin);
    } catch (error) {
      this.#problem(`The handler of ${request.method} failed`, error);
      return { error: INTERNAL_ERROR };
    }
  }

  #takeError(id: RequestId | undefined, error: JsonRpcErrorObject): void {
    if (id === undefined) this.#problem(`The peer could not read a message: ${error.message}`);
    else this.#settle(id, { kind: 'error', error });
  }

  #unreadable(problem: UnreadableMessage): void {
    const code = problem.reason === 'parse-error' ? -32700 : -32600;
    const response = this.#refuse(undefined, { code, message: `${problem.reason === 'parse-error' ? 'Parse error' : 'Invalid request'}: ${problem.detail}` });
    if (response !== undefined) this.#transport.send(response).catch(() => undefined);
  }

  #refuse(id: RequestId | undefined, error: JsonRpcErrorObject): JsonRpcResponse | undefined {
    this.#problem(error.message);
    if (id === undefined && this.#handlers.answersWithoutId?.() !== true) return undefined;
    return { jsonrpc: '2.0', ...(id === undefined ? {} : { id }), error };
  }

  #inputEnded(): void {
    this.#isInputEnded = true;
    for (const id of this.#pending.keys()) this.#settle(id, { kind: 'closed', error: undefined });
    if (this.#handlers.inputEnded === undefined) void this.close();
    else this.#handlers.inputEnded();
  }

  #closed(error?: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const id of this.#pending.keys()) this.#settle(id, { kind: 'closed', error });
    for (const id of this.#running.keys()) this.cancel(id, error ?? new Error('The connection is closed'));
    this.#handlers.closed(error);
  }

  #problem(message: string, cause?: unknown): void {
    this.#handlers.problem?.(new Error(message, cause === undefined ? undefined : { cause }));
  }
}

function toError(value: unknown): Error {
  return value instanceof Error ? value : new Error(String(value));
}
