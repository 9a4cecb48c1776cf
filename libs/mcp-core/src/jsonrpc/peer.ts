import { batchEntries, type BatchEntry } from './batch-entries.ts';
import { readEnvelope, type Envelope } from './envelope.ts';
import type {
  JsonObject,
  JsonRpcErrorObject,
  JsonRpcNotification,
  JsonRpcRequest,
  JsonRpcResponse,
  RequestId,
} from './messages.ts';
import { RunningRequest } from './running-request.ts';
import {
  TAKEN,
  type MessageOrigin,
  type SendOptions,
  type Transport,
  type TransportReceiver,
  type UnreadableMessage,
} from './transport.ts';

/** How a request of ours ended. */
export type Answer =
  | { readonly kind: 'result'; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly error: JsonRpcErrorObject }
  /** The peer answered something that is not JSON-RPC. */
  | { readonly kind: 'invalid'; readonly detail: string }
  /** The peer's answer was over a limit and was not read. */
  | { readonly kind: 'refused'; readonly detail: string }
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
   * Answers a request, at once or later; `undefined` sends nothing. Called in wire order; the replies go out as they become ready. `running` is
   * cancelled by `cancel` and when the connection ends; a reply that comes after that is dropped. What it throws is answered with -32603 and
   * reported to `problem`.
   */
  request(
    request: JsonRpcRequest,
    running: RunningRequest,
  ): Reply | undefined | Promise<Reply | undefined>;
  /** What of a request of the peer is kept while it runs, and given to `request`. Default all of it. */
  kept?(request: JsonRpcRequest): JsonRpcRequest;
  /** Called in wire order with the requests. Must not throw. */
  notification(notification: JsonRpcNotification): void;
  /** The peer asks nothing more and answers nothing more; what it asked before can be answered until `close`. Default: closes at once. */
  inputEnded?(): void;
  /** Called once, last. `error` says why, when the end was not asked for. */
  ended(error?: Error): void;
  /** Whether a message that is no JSON-RPC, and whose id cannot be read, is answered with an error without id. Default no. */
  answersWithoutId?(): boolean;
  /** Whether arrays are read as batches, of at most 100 messages; else they are invalid requests. Default no. */
  acceptsBatch?(): boolean;
  /** Something that was survived: unreadable input, a useless answer, a rejected handler. */
  problem?(error: Error): void;
}

/**
 * Requests of one peer that may run at once; more are answered with an error at once. They cannot be left unread until there is room: what the running
 * ones wait for, answers and cancellations, would stay unread with them. One read of a pipe brings some 1,700 requests at most.
 */
const MAX_RUNNING = 4096;
const MAX_BATCH = 100;
const INTERNAL_ERROR: JsonRpcErrorObject = { code: -32603, message: 'Internal error' };
const NOTHING = Promise.resolve();

/** One end of a JSON-RPC conversation over a transport: numbers and matches our requests (ids from 1, never reused), dispatches the peer's. */
export class Peer implements TransportReceiver {
  readonly #transport: Transport;
  readonly #handlers: PeerHandlers;
  /** Both maps exist while they hold something: idle sessions are many, and an empty map is the larger part of one. */
  #pending: Map<RequestId, AnswerReceiver> | undefined;
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

  /** Sends a request at once. */
  request(method: string, params?: JsonObject, options?: SendOptions): OutgoingRequest {
    const id = this.takeId();
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.call(
      { jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) },
      { answered: resolve },
      options,
    );
    return { id, answer: promise, forget: () => this.forget(id) };
  }

  /** An id for the next `call`. */
  takeId(): number {
    return this.#nextId++;
  }

  /** Sends a request, whose id is from `takeId`, at once; `request` without its promise. */
  call(request: JsonRpcRequest, receiver: AnswerReceiver, options?: SendOptions): void {
    const { id } = request;
    this.#pending ??= new Map();
    this.#pending.set(id, receiver);
    if (this.#isInputEnded || this.#isClosed) {
      this.#settle(id, { kind: 'unsent', error: new Error('The connection is closed') });
      return;
    }
    const sent = this.#transport.send(request, options);
    if (sent === TAKEN) return;
    sent.catch((error: unknown) => {
      this.#settle(id, { kind: 'unsent', error: toError(error) });
    });
  }

  /** Stops waiting for the answer to a request of ours; a late one is swallowed. False when it has ended before. */
  forget(id: RequestId): boolean {
    return this.#pending?.delete(id) ?? false;
  }

  /** Resolves when the transport can take another message; rejects when this one was not sent. */
  notify(method: string, params?: JsonObject, options?: SendOptions): Promise<void> {
    return this.#transport.send(
      params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params },
      options,
    );
  }

  /** Ends the stream of a running request of the peer, where the transport has one for each. */
  closeStream(id: RequestId): void {
    this.#transport.closeStream?.(id);
  }

  /** Cancels a running request of the peer and drops its reply. False when no such request is running. */
  cancel(id: RequestId, reason?: unknown): boolean {
    const running = this.#running?.get(id);
    if (running === undefined || running.isAnswered) return false;
    this.#running?.delete(id);
    running.cancel(reason);
    return true;
  }

  /** Resolves when the running requests of the peer with these ids, by default all, have their answers on the way or need none. */
  async answered(ids?: ReadonlySet<RequestId>): Promise<void> {
    const waiting = [...(this.#running?.values() ?? [])].filter(
      ({ request }) => ids?.has(request.id) ?? true,
    );
    await Promise.all(waiting.map(({ ended }) => ended));
  }

  /** Resolves when no handler runs, cancelled ones included. */
  async idle(): Promise<void> {
    if (this.#handlersRunning === 0) return;
    this.#idle ??= Promise.withResolvers<void>();
    await this.#idle.promise;
  }

  /** Closes the transport; idempotent. */
  close(): Promise<void> {
    return this.#transport.close();
  }

  /** For the transport, as the four methods that follow. */
  message(value: unknown, origin?: MessageOrigin): void {
    const envelope = readEnvelope(value);
    if (envelope.kind === 'request') void this.#serve(envelope.message, origin);
    else if (
      envelope.kind === 'batch' &&
      envelope.entries.length > 0 &&
      this.#handlers.acceptsBatch?.() === true
    )
      this.#receiveBatch(envelope.entries, origin);
    else void this.#deliver(this.#take(envelope), undefined);
  }

  unreadable(problem: UnreadableMessage): void {
    if (problem.answers !== undefined) {
      this.#problem(`An answer was refused: ${problem.detail}`);
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
    for (const [index, answer] of batchEntries(entries.length, (responses) =>
      this.#send(responses),
    ).entries()) {
      const envelope = readEnvelope(entries[index]);
      if (envelope.kind !== 'request') void answer(this.#take(envelope));
      else if (isTooLong)
        void answer(
          refusal(envelope.message.id, `a batch holds at most ${String(MAX_BATCH)} messages`),
        );
      else void this.#serve(envelope.message, origin, answer);
    }
  }

  #serve(
    whole: JsonRpcRequest,
    origin: MessageOrigin | undefined,
    entry?: BatchEntry,
  ): Promise<void> {
    const request = this.#handlers.kept === undefined ? whole : this.#handlers.kept(whole);
    const { id } = request;
    if (this.#running?.get(id)?.isAnswered === false)
      return this.#deliver(refusal(id, 'this id is in use by a running request'), entry);
    if (this.#handlersRunning >= MAX_RUNNING)
      return this.#deliver(
        refusal(id, `${String(MAX_RUNNING)} requests are running; wait for answers`),
        entry,
      );
    const running = new RunningRequest(request, origin);
    this.#running ??= new Map();
    this.#running.set(id, running);
    return this.#answer(running, entry);
  }

  /** Never rejects. */
  async #answer(running: RunningRequest, entry: BatchEntry | undefined): Promise<void> {
    const { request } = running;
    let reply: Reply | undefined;
    this.#handlersRunning += 1;
    try {
      const outcome = this.#handlers.request(request, running);
      // A batch does not wait for the handler of a cancelled request.
      reply = await (entry === undefined
        ? outcome
        : Promise.race([outcome, running.ended.then(() => undefined)]));
    } catch (error) {
      this.#problem(`The handler of ${request.method} failed`, error);
      reply = { error: INTERNAL_ERROR };
    }
    this.#handlersRunning -= 1;
    if (this.#handlersRunning === 0) this.#idle?.resolve();
    running.answered();
    await this.#deliver(
      running.isCancelled || reply === undefined ? undefined : respond(request.id, reply),
      entry,
    );
    running.end();
    if (this.#running?.get(request.id) === running) this.#running.delete(request.id);
    if (this.#running?.size === 0) this.#running = undefined;
  }

  #deliver(response: JsonRpcResponse | undefined, entry: BatchEntry | undefined): Promise<void> {
    if (entry !== undefined) return entry(response);
    return response === undefined ? NOTHING : this.#send(response);
  }

  /** Resolves when the transport has taken the message or the connection ended; never rejects. */
  async #send(message: JsonRpcResponse | readonly JsonRpcResponse[]): Promise<void> {
    try {
      const sent = this.#transport.send(message);
      if (sent !== TAKEN) await sent;
    } catch (error) {
      this.#problem('An answer could not be sent', error);
      if (!this.#isClosed) await this.#sendInstead(message);
    }
  }

  /** An answer that cannot be serialized must not leave its request unanswered. */
  async #sendInstead(message: JsonRpcResponse | readonly JsonRpcResponse[]): Promise<void> {
    const errors = [message]
      .flat()
      .map(({ id }: JsonRpcResponse) => errorResponse(id, INTERNAL_ERROR));
    const [first] = errors;
    if (first !== undefined)
      await this.#transport.send(Array.isArray(message) ? errors : first).catch(() => undefined);
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

  #settle(id: RequestId, answer: Answer): void {
    const receiver = this.#pending?.get(id);
    if (receiver === undefined) return;
    this.#pending?.delete(id);
    if (this.#pending?.size === 0) this.#pending = undefined;
    receiver.answered(answer);
  }

  #settleAll(error: Error | undefined): void {
    for (const id of this.#pending?.keys() ?? []) this.#settle(id, { kind: 'closed', error });
  }

  #problem(message: string, cause?: unknown): void {
    this.#handlers.problem?.(new PeerProblem(message, cause));
  }
}

/** A fault of the other side that was survived. Its stack would only show how messages are read. */
class PeerProblem extends Error {
  constructor(message: string, cause: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'PeerProblem';
    if (cause === undefined) this.stack = message;
  }
}

function respond(id: RequestId, reply: Reply): JsonRpcResponse {
  return 'result' in reply
    ? { jsonrpc: '2.0', id, result: reply.result }
    : errorResponse(id, reply.error);
}

function errorResponse(id: RequestId | undefined, error: JsonRpcErrorObject): JsonRpcResponse {
  return id === undefined ? { jsonrpc: '2.0', error } : { jsonrpc: '2.0', id, error };
}

function refusal(id: RequestId, detail: string): JsonRpcResponse {
  return errorResponse(id, { code: -32600, message: `Invalid request: ${detail}` });
}

function toError(value: unknown): Error {
  return value instanceof Error ? value : new Error(String(value));
}
