import { missingCapabilityError } from '../../era/client-can.ts';
import type { Codec, InputMethod, InputTypes } from '../../era/codec.ts';
import { metaOf } from '../../era/meta-keys.ts';
import type { InitializeRequest } from '../../era/read-initialize.ts';
import { isJsonObject } from '../../jsonrpc/envelope.ts';
import type { JsonObject, RequestId } from '../../jsonrpc/messages.ts';
import type { RequestOutcome } from '../../jsonrpc/outgoing-request.ts';
import { untilAborted } from '../../jsonrpc/bounded-waits.ts';
import type { Peer } from '../../jsonrpc/peer.ts';
import type { Implementation } from '../../protocol/implementation.ts';
import type { LoggingLevel } from '../../protocol/logging-levels.ts';
import type { Root } from '../../protocol/client-features.ts';
import { LocalError } from '../../protocol/errors.ts';
import { resultOf } from '../../protocol/result-of.ts';
import { assertFitsForm, withElicitationId } from '../input/elicitation.ts';
import type { RequestClient } from '../requests/request-context.ts';
import { RequestingClient } from '../requests/requesting-client.ts';
import type { CustomRequest, EraPort } from '../requests/era-port.ts';
import type { NotificationQueue } from './notification-queue.ts';
import { capabilityOf, type KeyedInputRequest } from '../input/input-requests.ts';
import { NO_REPLAY } from '../input/replay.ts';
import { SessionRoots } from '../input/roots.ts';
import type { LegacySession } from './legacy-session.ts';

/** Most URL elicitations of a session whose completion can be announced; the oldest are forgotten. */
const MAX_ELICITATIONS = 1000;

/** The connection of a session. */
export interface SessionConnection {
  readonly peer: Peer;
  readonly notifications: NotificationQueue;
  /** Aborts when the connection ends. */
  readonly signal: AbortSignal;
}

/** The legacy session that `initialize` opened. It ends with its connection. */
export class InitializedSession implements EraPort, LegacySession {
  readonly codec: Codec;
  readonly client: RequestClient;
  readonly replay = NO_REPLAY;
  #logLevel: LoggingLevel = 'info';
  readonly #connection: SessionConnection;
  #roots: SessionRoots | undefined;
  /** The ids of URL elicitations that are not complete, with the request that needed each. */
  #elicitations: Map<string, RequestId | undefined> | undefined;

  constructor(initialize: InitializeRequest, connection: SessionConnection) {
    const { codec, clientInfo, capabilities } = initialize;
    this.codec = codec;
    this.client = new RequestingClient(codec, clientInfo, capabilities);
    this.#connection = connection;
  }

  /** Least severe level of log messages: `info` until `logging/setLevel` changes it. */
  get logLevel(): LoggingLevel {
    return this.#logLevel;
  }

  setLogLevel(level: LoggingLevel): void {
    this.#logLevel = level;
  }

  get signal(): AbortSignal {
    return this.#connection.signal;
  }

  get clientInfo(): Implementation | undefined {
    return this.client.info;
  }

  get extensions(): { readonly [name: string]: JsonObject } {
    return this.client.extensions;
  }

  get isCongested(): boolean {
    return this.#connection.notifications.isCongested;
  }

  notify(method: string, params: JsonObject, relatedTo?: RequestId): PromiseLike<void> | undefined {
    return this.#connection.notifications.notify(method, params, relatedTo);
  }

  notifyChange(method: string, params: JsonObject, isWanted: () => boolean): void {
    this.#connection.notifications.notifyChange(method, params, isWanted);
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
    this.#startElicitation(wireParams, relatedTo);
    const response = this.codec.decodeInputResponse(
      method,
      await this.#request({ method, params: withMeta(wireParams, meta), relatedTo }, signal),
    );
    assertFitsForm(key, params, response);
    return response;
  }

  /** Sends a custom request. @throws ProtocolError of the client; LocalError `connection-closed`, `invalid-response` */
  async request({ method, params, signal, relatedTo }: CustomRequest): Promise<JsonObject> {
    signal.throwIfAborted();
    return this.#request({ method, params, relatedTo }, signal);
  }

  async listRoots({ timeoutMs }: { readonly timeoutMs?: number } = {}): Promise<
    readonly Root[] | undefined
  > {
    if (!this.client.can('roots')) return undefined;
    this.#roots ??= new SessionRoots((signal) => this.#askForRoots(signal));
    return this.#roots.list(timeoutMs);
  }

  /** Makes the next `listRoots` fetch the roots again. */
  forgetRoots(): void {
    this.#roots?.forget();
  }

  startElicitations(elicitations: readonly unknown[], relatedTo: RequestId): void {
    for (const each of elicitations.slice(0, MAX_ELICITATIONS))
      if (isJsonObject(each)) this.#startElicitation(each, relatedTo);
  }

  /** Sends `notifications/elicitation/complete`, once, if the client knows the id. */
  completeElicitation(elicitationId: string): boolean {
    if (this.#elicitations?.has(elicitationId) !== true) return false;
    const relatedTo = this.#elicitations.get(elicitationId);
    this.#elicitations.delete(elicitationId);
    this.notify('notifications/elicitation/complete', { elicitationId }, relatedTo);
    return true;
  }

  #startElicitation({ elicitationId }: JsonObject, relatedTo: RequestId | undefined): void {
    if (typeof elicitationId !== 'string') return;
    this.#elicitations ??= new Map();
    this.#elicitations.set(elicitationId, relatedTo);
    const [oldest] = this.#elicitations.keys();
    if (oldest !== undefined && this.#elicitations.size > MAX_ELICITATIONS)
      this.#elicitations.delete(oldest);
  }

  async #askForRoots(timeout: AbortSignal): Promise<readonly Root[]> {
    const signal = AbortSignal.any([this.signal, timeout]);
    return (await this.ask({ method: 'roots/list', key: 'roots', params: undefined, signal }))
      .roots;
  }

  /** Sends a request to the client, and cancels it when the signal aborts. */
  async #request(
    { method, params, relatedTo }: SessionRequest,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const outgoing = this.#connection.peer.request(
      method,
      params,
      relatedTo === undefined ? undefined : { relatedTo },
    );
    const cancel = (): void => {
      if (outgoing.forget())
        this.#connection.notifications.notify(
          'notifications/cancelled',
          { requestId: outgoing.id, reason: 'The request that needed the input has ended' },
          relatedTo,
        );
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return readResponse(method, await untilAborted(outgoing.outcome, signal));
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }
}

interface SessionRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly relatedTo: RequestId | undefined;
}

function withMeta(params: JsonObject, meta: JsonObject | undefined): JsonObject {
  return meta === undefined ? params : { ...params, _meta: { ...metaOf(params), ...meta } };
}

/**
 * Returns the result in a client's response.
 * @throws ProtocolError when the response is an error.
 * @throws LocalError `invalid-response`, or `connection-closed` with `sent`.
 */
function readResponse(method: string, outcome: RequestOutcome): JsonObject {
  if (outcome.kind === 'unsent' || outcome.kind === 'closed')
    throw new LocalError(
      'connection-closed',
      `The connection ended before the client responded to ${method}`,
      { sent: outcome.kind === 'closed', cause: outcome.error },
    );
  return resultOf(outcome, { peer: 'client', method });
}
