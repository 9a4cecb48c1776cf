import { missingCapabilityError } from '../../era/client-can.ts';
import type { Codec, InputMethod, InputTypes } from '../../era/codec.ts';
import { metaOf } from '../../era/meta-keys.ts';
import type { InitializeRequest } from '../../era/route-request.ts';
import type { JsonObject, RequestId } from '../../jsonrpc/messages.ts';
import type { RequestOutcome } from '../../jsonrpc/outgoing-request.ts';
import type { Peer } from '../../jsonrpc/peer.ts';
import type { Implementation } from '../../protocol/implementation.ts';
import type { LoggingLevel } from '../../protocol/logging-levels.ts';
import type { Root } from '../../protocol/client-features.ts';
import { ErrorCode, LocalError, ProtocolError } from '../../protocol/errors.ts';
import { inputResponseProblems } from '../input/elicitation.ts';
import type { RequestClient } from '../requests/request-context.ts';
import type { EraPort, KeyedInputRequest } from '../requests/era-port.ts';
import type { NotificationQueue } from './notification-queue.ts';
import { capabilityOf } from '../input/input-requests.ts';
import type { LegacySession } from '../server.ts';

const DEFAULT_ROOTS_TIMEOUT_MS = 2000;

/** What a session needs of its connection. */
export interface SessionConnection {
  readonly peer: Peer;
  readonly outbox: NotificationQueue;
  /** Aborts when the connection ends. */
  readonly signal: AbortSignal;
}

/** What `initialize` established on a connection, for as long as the connection lasts. */
export class InitializedSession implements EraPort, LegacySession {
  readonly codec: Codec;
  readonly client: RequestClient;
  readonly journal = undefined;
  /** Starts at the server's choice; `logging/setLevel` changes it. */
  logLevel: LoggingLevel = 'info';
  readonly #connection: SessionConnection;
  #roots: Promise<readonly Root[]> | undefined;

  constructor(initialize: InitializeRequest, connection: SessionConnection) {
    const { codec, clientInfo, capabilities } = initialize;
    this.codec = codec;
    this.client = {
      info: clientInfo,
      era: codec.era,
      can: (capability) => codec.can(capabilities, capability),
    };
    this.#connection = connection;
  }

  get signal(): AbortSignal {
    return this.#connection.signal;
  }

  get clientInfo(): Implementation | undefined {
    return this.client.info;
  }

  get isCongested(): boolean {
    return this.#connection.outbox.isCongested;
  }

  notify(method: string, params: JsonObject, relatedTo?: RequestId): PromiseLike<void> {
    return this.#connection.outbox.notify(method, params, relatedTo);
  }

  notifyChange(method: string, params: JsonObject, isWanted: () => boolean): void {
    this.#connection.outbox.notifyChange(method, params, isWanted);
  }

  closeStream(id: RequestId): void {
    this.#connection.peer.closeStream(id);
  }

  async ask<M extends InputMethod>({
    method,
    key,
    params,
    signal,
    relatedTo,
    meta,
  }: KeyedInputRequest<M>): Promise<InputTypes[M]['result']> {
    signal.throwIfAborted();
    const capability = capabilityOf(method, params);
    const wireParams = this.client.can(capability)
      ? this.codec.encodeInputRequest(method, withElicitationId(params))
      : undefined;
    if (wireParams === undefined) throw missingCapabilityError(capability);
    const answer = this.codec.decodeInputResponse(
      method,
      await this.#request({ method, params: withMeta(wireParams, meta), relatedTo }, signal),
    );
    const problems = inputResponseProblems(params, answer);
    if (problems.length > 0)
      throw new ProtocolError(
        ErrorCode.invalidParams,
        `The client's answer to "${key}" does not fit its form: ${problems.join(' ')}`,
      );
    return answer;
  }

  async listRoots({
    timeoutMs = DEFAULT_ROOTS_TIMEOUT_MS,
  }: { readonly timeoutMs?: number } = {}): Promise<readonly Root[] | undefined> {
    if (!this.client.can('roots')) return undefined;
    this.#roots ??= this.#askForRoots(timeoutMs);
    return this.#roots;
  }

  /** Makes the next `listRoots` ask again. */
  forgetRoots(): void {
    this.#roots = undefined;
  }

  async #askForRoots(timeoutMs: number): Promise<readonly Root[]> {
    const timeout = new AbortController();
    const timer = setTimeout(() => {
      timeout.abort(
        new LocalError(
          'request-timeout',
          `The client did not answer roots/list within ${String(timeoutMs)} ms`,
          { sent: true },
        ),
      );
    }, timeoutMs);
    try {
      const signal = AbortSignal.any([this.signal, timeout.signal]);
      return (await this.ask({ method: 'roots/list', key: 'roots', params: undefined, signal }))
        .roots;
    } catch (error) {
      this.#roots = undefined;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Withdraws the request when the signal aborts. */
  async #request(
    { method, params, relatedTo }: SessionRequest,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const outgoing = this.#connection.peer.request(
      method,
      params,
      relatedTo === undefined ? undefined : { relatedTo },
    );
    const aborted = Promise.withResolvers<never>();
    const withdraw = (): void => {
      if (outgoing.forget())
        this.#connection.outbox.notify(
          'notifications/cancelled',
          { requestId: outgoing.id, reason: 'The request it belongs to has ended' },
          relatedTo,
        );
      aborted.reject(signal.reason);
    };
    signal.addEventListener('abort', withdraw, { once: true });
    try {
      return readAnswer(method, await Promise.race([outgoing.outcome, aborted.promise]));
    } finally {
      signal.removeEventListener('abort', withdraw);
    }
  }
}

interface SessionRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly relatedTo: RequestId | undefined;
}

/** Only the revisions that have ids put it on the wire. */
function withElicitationId<P>(params: P): P {
  const isUrl = typeof params === 'object' && params !== null && 'url' in params;
  return isUrl ? { elicitationId: crypto.randomUUID(), ...params } : params;
}

function withMeta(params: JsonObject, meta: JsonObject | undefined): JsonObject {
  return meta === undefined ? params : { ...params, _meta: { ...metaOf(params), ...meta } };
}

function readAnswer(method: string, answer: RequestOutcome): JsonObject {
  switch (answer.kind) {
    case 'result':
      return answer.result;
    case 'error':
      throw new ProtocolError(answer.error.code, answer.error.message, { data: answer.error.data });
    case 'invalid':
      throw new LocalError(
        'invalid-response',
        `The client's answer to ${method} is not JSON-RPC: ${answer.detail}`,
        { sent: true },
      );
    case 'refused':
      throw new LocalError(
        'invalid-response',
        `The client's answer to ${method} was refused: ${answer.detail}.`,
        { sent: true },
      );
    case 'unsent':
    case 'closed':
      throw new LocalError(
        'connection-closed',
        `The connection ended before the client answered ${method}`,
        {
          sent: answer.kind === 'closed',
          cause: answer.error,
        },
      );
    default:
      return answer satisfies never;
  }
}
