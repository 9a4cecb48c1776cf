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
import {
  notificationOf,
  type Change,
  type ChangeListener,
  type Changes,
} from '../subscriptions/change-hub.ts';
import { InitializedSession, type SessionConnection } from './initialized-session.ts';
import { cancelledByClient, connectionClosed } from '../requests/cancellation.ts';
import { logParams } from '../requests/logging.ts';
import type { ConnectionScope } from '../requests/method.ts';
import { respondToInitialize } from './initialize.ts';
import { NotificationQueue } from './notification-queue.ts';
import { ResourceWatches } from '../subscriptions/resource-subscriptions.ts';
import type { RequestDispatcher } from '../requests/request-dispatcher.ts';
import type { IncomingRequest } from '../requests/active-request.ts';
import type { ResourceProvider } from '../resources/resource-provider.ts';
import type { ServerConnection, ServerOptions } from '../server.ts';

export interface ConnectionContext {
  readonly options: ServerOptions;
  readonly resources: ResourceProvider | undefined;
  readonly requests: RequestDispatcher;
  readonly capabilities: ServerCapabilities;
  readonly changes: Changes;
  readonly onError: (error: unknown) => void;
}

/** Time for pending responses at the end of a connection: enough for quick handlers, and short enough for a process that must end within a second. */
const LAST_ANSWERS_MS = 400;
/** Time for the `finally` blocks of aborted handlers. */
const LAST_CLEANUP_MS = 100;

/**
 * The connection of one client: its modern requests, and its legacy session, if it opens one. An HTTP server holds a connection for each idle session, so
 * rarely used members are created on first use, and the class implements the interfaces of its parts instead of creating closures.
 */
export class Connection
  implements ServerConnection, ConnectionScope, SessionConnection, PeerHandlers, ChangeListener
{
  readonly peer: Peer;
  readonly notifications: NotificationQueue;
  readonly hasOwnStream: boolean;
  readonly #context: ConnectionContext;
  readonly #connections: Set<Connection>;
  #closing: PromiseWithResolvers<void> | undefined;
  #gone: AbortController | undefined;
  #ending: AbortController | undefined;
  #listening: Set<RequestId> | undefined;
  #session: InitializedSession | undefined;
  #watches: ResourceWatches | undefined;
  #sessionReady: Promise<void> | undefined;
  /** Settles when the middleware of `initialize` has ended. */
  #opening: Promise<unknown> | undefined;
  #isPreparationDue = false;
  #isInitialized = false;
  #isClosed = false;
  #endedBy: Error | undefined;

  /** Removes itself from `connections` when it is closed. */
  constructor(context: ConnectionContext, transport: Transport, connections: Set<Connection>) {
    this.#context = context;
    this.#connections = connections;
    this.hasOwnStream = transport.hasStreamPerRequest === true;
    this.peer = new Peer(transport, this);
    this.notifications = new NotificationQueue(this.peer);
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

  /** Starts the transport. Rejects with the transport's error, after which the connection has ended. */
  async start(): Promise<void> {
    try {
      await this.peer.start();
    } catch (error) {
      this.peer.closed(error instanceof Error ? error : new Error(String(error)));
      throw error;
    }
  }

  /** Ends listen streams gracefully, then closes the transport. */
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

  /** Sends a log message to the legacy session, if its level allows it. */
  log(level: LoggingLevel, data: unknown, logger?: string): void {
    const session = this.#session;
    if (session === undefined || !isAtLeast(level, session.logLevel)) return;
    session.notify('notifications/message', logParams(level, data, logger));
  }

  /** Sends a custom notification to the legacy session. */
  notify(method: string, params: JsonObject): void {
    if (this.#isInitialized) this.#session?.notify(method, params);
  }

  request(
    request: JsonRpcRequest,
    incoming: IncomingRequest,
  ): ResultOrError | Promise<ResultOrError> {
    // Requests that a client sends before the response to `initialize` belong to its session. After a
    // refusal the first of them may be another `initialize`.
    return this.#opening === undefined
      ? this.#serve(incoming)
      : this.#opening.then(() => this.request(request, incoming));
  }

  #serve(incoming: IncomingRequest): ResultOrError | Promise<ResultOrError> {
    const { requests } = this.#context;
    const route = routeRequest(incoming.request, this.#session);
    switch (route.kind) {
      case 'refused':
        return { error: route.error.toJSON() };
      case 'ping':
        return { result: {} };
      case 'initialize':
        return requests.hasMiddleware
          ? this.#initializeAround(incoming)
          : this.#initialize(incoming);
      case 'modern':
        return requests.modern(incoming, { route, sink: this.notifications, scope: this });
      case 'legacy':
        return requests.legacy(incoming, {
          codec: route.session.codec,
          scope: this,
          port: this.#openSession(route.session, incoming.request.method),
        });
      default:
        return route satisfies never;
    }
  }

  inputEnded(): void {
    void this.#end();
  }

  /** Ends listen streams, waits shortly for the responses to these requests (default: all), and closes. */
  async #end(ids?: ReadonlySet<RequestId>): Promise<void> {
    this.#ending ??= new AbortController();
    this.#ending.abort();
    await withinLimit(this.peer.responded(ids), LAST_ANSWERS_MS);
    await this.peer.close();
    await withinLimit(this.peer.idle(), LAST_CLEANUP_MS);
  }

  #initialize(incoming: IncomingRequest): ResultOrError {
    const opening = respondToInitialize(incoming, this.#context);
    if ('error' in opening) return opening;
    this.#begin(new InitializedSession(opening.initialize, this));
    return { result: opening.result };
  }

  /** Opens the session when the middleware has let `initialize` pass. */
  async #initializeAround(incoming: IncomingRequest): Promise<ResultOrError> {
    const host = this.#context;
    const opened = respondToInitialize(incoming, host);
    if ('error' in opened) return opened;
    const port = new InitializedSession(opened.initialize, this);
    const opening = host.requests.initialize(incoming, { opened, host, port });
    this.#opening = opening;
    const response = await opening;
    this.#opening = undefined;
    if ('error' in response) return response;
    this.#begin(
      response.initialize === opened.initialize
        ? port
        : new InitializedSession(response.initialize, this),
    );
    return { result: response.result };
  }

  #begin(session: InitializedSession): void {
    const { resources } = this.#context;
    this.#session = session;
    this.#watches = resources && new ResourceWatches(resources, this.#context.onError);
  }

  #openSession(
    session: InitializedSession,
    method: string,
  ): InitializedSession | Promise<InitializedSession> {
    return method === 'ping' || this.#sessionReady === undefined
      ? session
      : this.#sessionReady.then(() => session);
  }

  notification(notification: JsonRpcNotification): void {
    const { method, params = {} } = notification;
    switch (method) {
      case 'notifications/cancelled':
        if (isRequestId(params.requestId))
          this.peer.cancel(params.requestId, cancelledByClient(params.reason));
        return;
      case 'notifications/initialized':
        if (this.#opening !== undefined) {
          void this.#opening.then(() => this.notification(notification));
          return;
        }
        this.#isInitialized = this.#session !== undefined;
        this.#prepareSession();
        return;
      case 'notifications/roots/list_changed':
        this.#session?.forgetRoots();
        this.#prepareSession();
        return;
      default:
        this.#context.requests.notified(notification, this.#session);
    }
  }

  /** Runs `onLegacySession`, for which later requests of the session wait. Changes during a run lead to one more run. */
  #prepareSession(): void {
    const session = this.#session;
    const onLegacySession = this.#context.options.events?.onLegacySession;
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
