import type { Codec } from '../era/codec.ts';
import { readInitialize, routeRequest } from '../era/route-request.ts';
import { isRequestId } from '../jsonrpc/envelope.ts';
import type { JsonObject, JsonRpcNotification, JsonRpcRequest, RequestId } from '../jsonrpc/messages.ts';
import { Peer, type Reply } from '../jsonrpc/peer.ts';
import type { Transport } from '../jsonrpc/transport.ts';
import { withinLimit } from '../jsonrpc/within-limit.ts';
import type { LoggingLevel, ServerCapabilities } from '../protocol/capabilities.ts';
import { ErrorCode, LocalError, ProtocolError } from '../protocol/errors.ts';
import { isLoud } from '../protocol/logging-levels.ts';
import type { JsonSchema } from '../protocol/tools.ts';
import { notificationOf, type Change, type Changes } from './change-hub.ts';
import type { Exchange } from './exchange.ts';
import { InitializedSession } from './initialized-session.ts';
import type { ConnectionScope, Method } from './methods.ts';
import { ModernExchange } from './modern-exchange.ts';
import { Outbox } from './outbox.ts';
import { ResourceWatches } from './resource-watches.ts';
import { ServedRequest } from './served-request.ts';
import type { ServerConnection, ServerOptions } from './server.ts';
import type { ToolDefinition } from './tool.ts';
import { shorten } from '../protocol/shorten.ts';

export interface ConnectionContext {
  readonly options: ServerOptions;
  readonly methods: ReadonlyMap<string, Method>;
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  readonly capabilities: ServerCapabilities;
  readonly changes: Changes;
  readonly onError: (error: unknown) => void;
}

/** How long the end of a connection waits for answers: long enough for quick handlers, short enough for a process that must end within a second. */
const LAST_ANSWERS_MS = 400;

/** One peer: its modern requests, each on its own, and its legacy session, if it opens one. */
export class Connection implements ServerConnection, ConnectionScope {
  readonly closed: Promise<void>;
  readonly #context: ConnectionContext;
  readonly #peer: Peer;
  readonly #outbox: Outbox;
  readonly #gone = new AbortController();
  readonly #ending = new AbortController();
  readonly #listening = new Set<RequestId>();
  readonly #stopHearing: () => void;
  #session: InitializedSession | undefined;
  #watches: ResourceWatches | undefined;
  #sessionReady: Promise<void> | undefined;
  #isInitialized = false;

  constructor(context: ConnectionContext, transport: Transport) {
    this.#context = context;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.closed = promise;
    this.#peer = new Peer(transport, {
      request: (request, signal) => this.#request(request, signal),
      notification: (notification) => {
        this.#notification(notification);
      },
      inputEnded: () => {
        void this.#end();
      },
      closed: (error) => {
        this.#closed(error);
        resolve(undefined);
      },
      answersWithoutId: () => this.#session?.codec.hasErrorsWithoutId ?? true,
      acceptsBatch: () => this.#session?.codec.hasBatches ?? false,
      problem: context.onError,
    });
    this.#outbox = new Outbox(this.#peer);
    this.#stopHearing = context.changes.listen((change) => {
      this.#hear(change);
    });
  }

  get session(): InitializedSession | undefined {
    return this.#session;
  }

  get watches(): ResourceWatches | undefined {
    return this.#watches;
  }

  start(): Promise<void> {
    return this.#peer.start();
  }

  /** Ends listen streams in good order, then the transport. */
  close(): Promise<void> {
    return this.#end(this.#listening);
  }

  async holdOpen(id: RequestId, run: (ended: AbortSignal) => Promise<JsonObject>): Promise<JsonObject> {
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
    if (session === undefined || !isLoud(level, session.logLevel)) return;
    session.notify('notifications/message', { level, ...(logger === undefined ? {} : { logger }), data: data ?? null });
  }

  async #request(request: JsonRpcRequest, signal: AbortSignal): Promise<Reply> {
    const route = routeRequest(request, this.#session);
    switch (route.kind) {
      case 'refused':
        return { error: route.error.toJSON() };
      case 'ping':
        return { result: {} };
      case 'initialize':
        return this.#initialize(request, signal);
      case 'modern':
        return this.#serve(request, signal, { codec: route.codec, open: () => Promise.resolve(new ModernExchange(route, request, this.#outbox)) });
      case 'legacy':
        return this.#serve(request, signal, { codec: route.codec, open: () => this.#openSession(route.session, request) });
      default:
        return route satisfies never;
    }
  }

  /** Ends listen streams, gives the answers to these requests (default: to all) a moment to get out, and closes. */
  async #end(ids?: ReadonlySet<RequestId>): Promise<void> {
    this.#ending.abort();
    await withinLimit(this.#peer.answered(ids), LAST_ANSWERS_MS);
    await this.#peer.close();
  }

  #initialize(request: JsonRpcRequest, signal: AbortSignal): Reply {
    try {
      const initialize = readInitialize(request);
      const { info, instructions, resources } = this.#context.options;
      this.#session = new InitializedSession(initialize, { peer: this.#peer, outbox: this.#outbox, signal: this.#gone.signal });
      this.#watches = resources && new ResourceWatches(resources, this.#context.onError);
      const result = { protocolVersion: initialize.codec.version, capabilities: this.#context.capabilities, serverInfo: info };
      return { result: instructions === undefined ? result : { ...result, instructions } };
    } catch (error) {
      return { error: this.#toProtocolError(error, signal).toJSON() };
    }
  }

  async #serve(request: JsonRpcRequest, signal: AbortSignal, { codec, open }: EraService): Promise<Reply> {
    try {
      const method = codec.clientRequests.has(request.method) ? this.#context.methods.get(request.method) : undefined;
      if (method === undefined) throw new ProtocolError(ErrorCode.methodNotFound, `Method not found: ${shorten(request.method)}`);
      const exchange = await open();
      signal.throwIfAborted();
      const result = await this.#run(method, new ServedRequest(request, exchange, signal));
      return { result: codec.encodeResult(request.method, result, { serverInfo: this.#context.options.info, outputSchema: this.#outputSchema(request) }) };
    } catch (error) {
      return { error: codec.encodeError(this.#toProtocolError(error, signal)) };
    }
  }

  async #run(method: Method, served: ServedRequest): Promise<JsonObject> {
    try {
      return await method(served, this);
    } finally {
      served.finish();
    }
  }

  async #openSession(session: InitializedSession, request: JsonRpcRequest): Promise<InitializedSession> {
    if (request.method !== 'ping') await this.#sessionReady;
    return session;
  }

  #outputSchema({ method, params }: JsonRpcRequest): JsonSchema | undefined {
    return method === 'tools/call' ? this.#context.tools.get(String(params?.name))?.outputSchema : undefined;
  }

  /** The peer is told no details of what is not meant for it. */
  #toProtocolError(error: unknown, signal: AbortSignal): ProtocolError {
    if (error instanceof ProtocolError) return error;
    if (!signal.aborted) this.#context.onError(error);
    return new ProtocolError(ErrorCode.internalError, 'Internal error', { cause: error });
  }

  #notification({ method, params = {} }: JsonRpcNotification): void {
    switch (method) {
      case 'notifications/cancelled':
        if (isRequestId(params.requestId)) this.#peer.cancel(params.requestId, cancelled(params.reason));
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

  /** Requests that come later wait until the server is ready for the session. */
  #prepareSession(): void {
    const session = this.#session;
    const { onLegacySession } = this.#context.options;
    if (session === undefined || !this.#isInitialized || onLegacySession === undefined) return;
    this.#sessionReady = (this.#sessionReady ?? Promise.resolve())
      .then(() => onLegacySession(session))
      .catch((error: unknown) => {
        if (!session.signal.aborted) this.#context.onError(error);
      });
  }

  #hear(change: Change): void {
    const session = this.#session;
    if (session === undefined || !this.#isInitialized || !this.#isWanted(change)) return;
    const { method, params } = notificationOf(change);
    session.notifyChange(method, params, () => this.#isWanted(change));
  }

  #isWanted(change: Change): boolean {
    return change.kind === 'resource' ? this.#watches?.has(change.uri) === true : this.#context.capabilities[change.kind]?.listChanged === true;
  }

  #closed(error: Error | undefined): void {
    this.#stopHearing();
    this.#gone.abort(new LocalError('connection-closed', 'The connection is closed', error === undefined ? {} : { cause: error }));
    void this.#watches?.end();
  }
}

/** How requests of one era are served. */
interface EraService {
  readonly codec: Codec;
  readonly open: () => Promise<Exchange>;
}

function cancelled(reason: unknown): LocalError {
  return new LocalError('request-cancelled', typeof reason === 'string' ? `Cancelled by the client: ${reason}` : 'Cancelled by the client', { sent: true });
}
