import { routeRequest } from '../../era/route-request.ts';
import { isRequestId } from '../../jsonrpc/envelope.ts';
import type {
  JsonObject,
  JsonRpcNotification,
  JsonRpcRequest,
  RequestId,
} from '../../jsonrpc/messages.ts';
import { Peer } from '../../jsonrpc/peer.ts';
import type { PeerHandlers } from '../../jsonrpc/peer-handlers.ts';
import type { ResultOrError } from '../../jsonrpc/responses.ts';
import type { Transport } from '../../jsonrpc/transport.ts';
import { withinLimit } from '../../jsonrpc/bounded-waits.ts';
import { type LoggingLevel, isAtLeast } from '../../protocol/logging-levels.ts';
import type { ServerCapabilities } from '../../protocol/capabilities.ts';
import { LocalError } from '../../protocol/errors.ts';
import {
  notificationOf,
  type Change,
  type ChangeListener,
  type Changes,
} from '../subscriptions/change-hub.ts';
import { InitializedSession, type SessionConnection } from './initialized-session.ts';
import type { ConnectionScope } from '../methods.ts';
import { openSession } from './initialize.ts';
import { NotificationQueue } from './notification-queue.ts';
import { ResourceWatches } from '../subscriptions/resource-subscriptions.ts';
import type { RequestDispatcher } from '../requests/request-dispatcher.ts';
import type { IncomingRequest } from '../requests/active-request.ts';
import type { ServerConnection, ServerOptions } from '../server.ts';

export interface ConnectionContext {
  readonly options: ServerOptions;
  readonly requests: RequestDispatcher;
  readonly capabilities: ServerCapabilities;
  readonly changes: Changes;
  readonly onError: (error: unknown) => void;
}

/** How long the end of a connection waits for answers: long enough for quick handlers, short enough for a process that must end within a second. */
const LAST_ANSWERS_MS = 400;
/** How long aborted handlers have to run their `finally` blocks. */
const LAST_CLEANUP_MS = 100;

/**
 * One peer: its modern requests, each on its own, and its legacy session, if it opens one. An HTTP server has one for each idle session, so what most
 * never need is made by its first use, and it takes the messages and changes itself instead of by functions of its own.
 */
export class Connection
  implements ServerConnection, ConnectionScope, SessionConnection, PeerHandlers, ChangeListener
{
  readonly peer: Peer;
  readonly outbox: NotificationQueue;
  readonly hasOwnStream = false;
  readonly #context: ConnectionContext;
  readonly #connections: Set<Connection>;
  #closing: PromiseWithResolvers<void> | undefined;
  #gone: AbortController | undefined;
  #ending: AbortController | undefined;
  #listening: Set<RequestId> | undefined;
  #session: InitializedSession | undefined;
  #watches: ResourceWatches | undefined;
  #sessionReady: Promise<void> | undefined;
  #isPreparationDue = false;
  #isInitialized = false;
  #isClosed = false;
  #endedBy: Error | undefined;

  /** It leaves `connections` when it is closed. */
  constructor(context: ConnectionContext, transport: Transport, connections: Set<Connection>) {
    this.#context = context;
    this.#connections = connections;
    this.peer = new Peer(transport, this);
    this.outbox = new NotificationQueue(this.peer);
    context.changes.add(this);
  }

  get closed(): Promise<void> {
    this.#closing ??= Promise.withResolvers<void>();
    if (this.#isClosed) this.#closing.resolve();
    return this.#closing.promise;
  }

  get signal(): AbortSignal {
    this.#gone ??= new AbortController();
    if (this.#isClosed) this.#gone.abort(connectionClosed(this.#endedBy));
    return this.#gone.signal;
  }

  get session(): InitializedSession | undefined {
    return this.#session;
  }

  get watches(): ResourceWatches | undefined {
    return this.#watches;
  }

  /** Rejects with the transport's error when the transport cannot start; the connection has then ended. */
  async start(): Promise<void> {
    try {
      await this.peer.start();
    } catch (error) {
      this.peer.closed(error instanceof Error ? error : new Error(String(error)));
      throw error;
    }
  }

  /** Ends listen streams in good order, then the transport. */
  close(): Promise<void> {
    return this.#end(this.#listening ?? new Set());
  }

  async holdOpen(
    id: RequestId,
    run: (ended: AbortSignal) => Promise<JsonObject>,
  ): Promise<JsonObject> {
    this.#listening ??= new Set();
    this.#ending ??= new AbortController();
    this.#listening.add(id);
    try {
      return await run(this.#ending.signal);
    } finally {
      this.#listening.delete(id);
    }
  }

  /** To the legacy session, when there is one whose level lets it through. */
  log(level: LoggingLevel, data: unknown, logger?: string): void {
    const session = this.#session;
    if (session === undefined || !isAtLeast(level, session.logLevel)) return;
    session.notify('notifications/message', {
      level,
      ...(logger === undefined ? {} : { logger }),
      data: data ?? null,
    });
  }

  async request(_request: JsonRpcRequest, incoming: IncomingRequest): Promise<ResultOrError> {
    const { requests } = this.#context;
    const route = routeRequest(incoming.request, this.#session);
    switch (route.kind) {
      case 'refused':
        return { error: route.error.toJSON() };
      case 'ping':
        return { result: {} };
      case 'initialize':
        return this.#initialize(incoming);
      case 'modern':
        return requests.modern(incoming, { route, sink: this.outbox, scope: this });
      case 'legacy':
        return requests.legacy(incoming, {
          codec: route.codec,
          scope: this,
          open: () => this.#openSession(route.session, incoming.request.method),
        });
      default:
        return route satisfies never;
    }
  }

  inputEnded(): void {
    void this.#end();
  }

  /** Ends listen streams, gives the answers to these requests (default: to all) a moment to get out, and closes. */
  async #end(ids?: ReadonlySet<RequestId>): Promise<void> {
    this.#ending ??= new AbortController();
    this.#ending.abort();
    await withinLimit(this.peer.responded(ids), LAST_ANSWERS_MS);
    await this.peer.close();
    await withinLimit(this.peer.idle(), LAST_CLEANUP_MS);
  }

  #initialize(incoming: IncomingRequest): ResultOrError {
    const opening = openSession(incoming, this.#context);
    if ('error' in opening) return opening;
    const { resources } = this.#context.options;
    this.#session = new InitializedSession(opening.initialize, this);
    this.#watches = resources && new ResourceWatches(resources, this.#context.onError);
    return { result: opening.result };
  }

  async #openSession(session: InitializedSession, method: string): Promise<InitializedSession> {
    if (method !== 'ping') await this.#sessionReady;
    return session;
  }

  notification({ method, params = {} }: JsonRpcNotification): void {
    switch (method) {
      case 'notifications/cancelled':
        if (isRequestId(params.requestId))
          this.peer.cancel(params.requestId, cancelled(params.reason));
        return;
      case 'notifications/initialized':
        this.#isInitialized = this.#session !== undefined;
        this.#prepareSession();
        return;
      case 'notifications/roots/list_changed':
        this.#session?.forgetRoots();
        this.#prepareSession();
        return;
      default:
        return;
    }
  }

  /** Requests that come later wait until the server is ready for the session. However many changes come while that takes, it is prepared once more. */
  #prepareSession(): void {
    const session = this.#session;
    const { onLegacySession } = this.#context.options;
    if (
      session === undefined ||
      !this.#isInitialized ||
      onLegacySession === undefined ||
      this.#isPreparationDue
    )
      return;
    this.#isPreparationDue = true;
    this.#sessionReady = (this.#sessionReady ?? Promise.resolve())
      .then(() => {
        this.#isPreparationDue = false;
        return onLegacySession(session);
      })
      .catch((error: unknown) => {
        if (!session.signal.aborted) this.#context.onError(error);
      });
  }

  changed(change: Change): void {
    const session = this.#session;
    if (session === undefined || !this.#isInitialized || !this.#isWanted(change)) return;
    const { method, params } = notificationOf(change);
    session.notifyChange(method, params, () => this.#isWanted(change));
  }

  #isWanted(change: Change): boolean {
    return change.kind === 'resource'
      ? this.#watches?.has(change.uri) === true
      : this.#context.capabilities[change.kind]?.listChanged === true;
  }

  ended(error?: Error): void {
    this.#isClosed = true;
    this.#endedBy = error;
    this.#context.changes.remove(this);
    this.#connections.delete(this);
    this.#gone?.abort(connectionClosed(error));
    void this.#watches?.end();
    this.#closing?.resolve();
  }

  answersWithoutId(): boolean {
    return this.#session?.codec.hasErrorsWithoutId ?? true;
  }

  acceptsBatch(): boolean {
    return this.#session?.codec.hasBatches ?? false;
  }

  problem(error: Error): void {
    this.#context.onError(error);
  }
}

function connectionClosed(error: Error | undefined): LocalError {
  return new LocalError(
    'connection-closed',
    'The connection is closed',
    error === undefined ? {} : { cause: error },
  );
}

function cancelled(reason: unknown): LocalError {
  return new LocalError(
    'request-cancelled',
    typeof reason === 'string' ? `Cancelled by the client: ${reason}` : 'Cancelled by the client',
    { sent: true },
  );
}
