import { HEADERLESS_VERSION, legacyRevision, revisionOf } from '../../era/revisions.ts';
import { type Envelope, readEnvelope } from '../../jsonrpc/envelope.ts';
import type { JsonRpcRequest, RequestId } from '../../jsonrpc/messages.ts';
import type { ResultOrError } from '../../jsonrpc/responses.ts';
import type { AuthContext } from '../../jsonrpc/transport.ts';
import { PROTOCOL_VERSIONS, type ProtocolVersion } from '../../era/versions.ts';
import { ErrorCode, shorten } from '../../protocol/errors.ts';
import type { Server } from '../../server/server.ts';
import { accepts } from '../headers/media-types.ts';
import { checkModernRequest, isModernRequest } from './check-modern-request.ts';
import { headerOf } from '../headers/http-headers.ts';
import type { HttpExchange } from './http-exchange.ts';
import { sendAccepted, sendError, sendText } from './json-responses.ts';
import { MirroredHeaders } from './mirrored-headers.ts';
import { readMessage } from './read-message.ts';
import type { ScopeCheck } from './scope-check.ts';
import type { SessionTransport } from './session-transport.ts';
import type { Sessions } from './sessions.ts';
import { StandaloneRequest, type StandaloneScope } from './standalone-request.ts';
import { serveBatchAlone } from './stateless-batch.ts';

const POST_TYPES = ['application/json', 'text/event-stream'] as const;
const GET_TYPES = ['text/event-stream'] as const;

export interface McpEndpointOptions extends Omit<StandaloneScope, 'auth' | 'legacyVersion'> {
  readonly server: Server;
  readonly scopes: ScopeCheck;
  /** `undefined` when legacy requests have no sessions. */
  readonly sessions: Sessions | undefined;
  readonly maxBodyBytes: number;
  readonly maxConcurrentRequests: number;
}

/**
 * The endpoint of Streamable HTTP: self-contained requests and legacy sessions at one path.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */
export class McpEndpoint {
  readonly #options: McpEndpointOptions;
  readonly #anonymous: StandaloneScope;
  readonly #mirrored: MirroredHeaders;
  /** Number of requests without a session whose handlers still run. */
  #running = 0;

  constructor(options: McpEndpointOptions) {
    this.#options = options;
    this.#anonymous = { ...options, auth: undefined };
    this.#mirrored = new MirroredHeaders((name) => options.server.tool(name)?.inputSchema);
  }

  /** Number of requests without a session whose handlers run. */
  get running(): number {
    return this.#running;
  }

  serve(exchange: HttpExchange, auth: AuthContext | undefined): void {
    switch (exchange.method) {
      case 'POST':
        this.#post(exchange, auth);
        return;
      case 'GET':
        if (this.#options.scopes.allows(exchange, auth)) this.#get(exchange, auth);
        return;
      case 'DELETE':
        if (this.#options.scopes.allows(exchange, auth)) this.#delete(exchange, auth);
        return;
      default:
        this.#refuseMethod(exchange);
    }
  }

  #post(exchange: HttpExchange, auth: AuthContext | undefined): void {
    if (!accepts(exchange.headers, POST_TYPES)) {
      sendText(exchange, 406, {
        text: 'Not acceptable: the client must accept application/json and text/event-stream',
      });
      return;
    }
    readMessage(exchange, this.#options.maxBodyBytes, (value) => {
      if (this.#options.ended.aborted)
        sendText(exchange, 503, {
          text: 'The server is closing',
          fields: ['connection', 'close'],
        });
      else this.#receive(exchange, value, auth);
    });
  }

  #receive(exchange: HttpExchange, value: unknown, auth: AuthContext | undefined): void {
    const envelope = readEnvelope(value);
    if (!this.#options.scopes.allows(exchange, auth, envelope)) return;
    switch (envelope.kind) {
      case 'request':
        if (isModernRequest(envelope.message.params, exchange.headers))
          this.#serveAlone(exchange, envelope.message, auth);
        else this.#serveLegacy(exchange, envelope.message, auth);
        return;
      case 'notification':
        if (isModernRequest(envelope.message.params, exchange.headers)) sendAccepted(exchange);
        else this.#takeLegacy(exchange, value, auth);
        return;
      case 'result':
      case 'error':
      case 'invalid-response':
        if (isModernRequest(undefined, exchange.headers))
          refuse(exchange, 'a modern client sends no responses');
        else this.#takeLegacy(exchange, value, auth);
        return;
      case 'batch':
        this.#serveBatch(exchange, envelope.entries, auth);
        return;
      case 'invalid':
        refuse(exchange, envelope.detail, envelope.id);
        return;
      default:
        envelope satisfies never;
    }
  }

  #serveAlone(
    exchange: HttpExchange,
    request: JsonRpcRequest,
    auth: AuthContext | undefined,
  ): void {
    const problem = checkModernRequest(request, exchange.headers, this.#mirrored);
    if (problem === undefined)
      this.#handle(
        exchange,
        request,
        auth === undefined ? this.#anonymous : { ...this.#options, auth },
      );
    else sendError(exchange, 400, { id: request.id, ...problem });
  }

  #handle(exchange: HttpExchange, request: JsonRpcRequest, scope: StandaloneScope): void {
    if (!this.#hasRoom(exchange, 1)) return;
    this.#running += 1;
    const standalone = new StandaloneRequest(exchange, request, scope);
    const respond = (response: ResultOrError): void => {
      this.#running -= 1;
      standalone.respond(response);
    };
    const response = this.#options.server.handle(request, standalone);
    // The server's promise never rejects.
    if (response instanceof Promise) void response.then(respond);
    else respond(response);
  }

  async #handleBatch(
    exchange: HttpExchange,
    { envelopes, ids }: Batch,
    {
      auth,
      version,
    }: { readonly auth: AuthContext | undefined; readonly version: ProtocolVersion },
  ): Promise<void> {
    if (!this.#hasRoom(exchange, ids.length)) return;
    const { server, exchanges, onError } = this.#options;
    this.#running += ids.length;
    await serveBatchAlone(exchange, envelopes, { server, auth, version, exchanges, onError });
    this.#running -= ids.length;
  }

  /** Whether so many more requests may run; responds with 503 when not. */
  #hasRoom(exchange: HttpExchange, count: number): boolean {
    if (this.#running + count <= this.#options.maxConcurrentRequests) return true;
    sendText(exchange, 503, {
      text: 'Too many requests are running',
      fields: ['retry-after', '1'],
    });
    return false;
  }

  #serveLegacy(
    exchange: HttpExchange,
    request: JsonRpcRequest,
    auth: AuthContext | undefined,
  ): void {
    const { sessions } = this.#options;
    if (sessions === undefined) {
      const legacyVersion = legacyVersionOf(exchange, request.id);
      if (legacyVersion !== undefined)
        this.#handle(exchange, request, { ...this.#options, auth, legacyVersion });
    } else if (
      request.method === 'initialize' &&
      exchange.headers['mcp-session-id'] === undefined
    ) {
      if (legacyVersionOf(exchange, request.id) !== undefined)
        this.#open(exchange, request, { sessions, auth });
    } else {
      this.#find(exchange, auth, request.id)?.serve(exchange, {
        value: request,
        ids: [request.id],
        auth,
      });
    }
  }

  #open(
    exchange: HttpExchange,
    request: JsonRpcRequest,
    { sessions, auth }: { readonly sessions: Sessions; readonly auth: AuthContext | undefined },
  ): void {
    sessions.open(exchange, request, auth).catch((error: unknown) => {
      this.#options.onError(error);
      sendError(exchange, 500, {
        id: request.id,
        code: ErrorCode.internalError,
        message: 'Internal error',
      });
    });
  }

  #takeLegacy(exchange: HttpExchange, value: unknown, auth: AuthContext | undefined): void {
    if (this.#options.sessions !== undefined)
      this.#find(exchange, auth)?.take(exchange, value, auth);
    else if (legacyVersionOf(exchange) !== undefined) sendAccepted(exchange);
  }

  #serveBatch(
    exchange: HttpExchange,
    entries: readonly unknown[],
    auth: AuthContext | undefined,
  ): void {
    const { sessions } = this.#options;
    if (isModernRequest(undefined, exchange.headers)) {
      refuse(exchange, 'a message must be a JSON object');
    } else if (sessions === undefined) {
      const version = legacyVersionOf(exchange);
      const batch = version === undefined ? undefined : readBatch(exchange, entries, version);
      if (version !== undefined && batch !== undefined)
        void this.#handleBatch(exchange, batch, { auth, version });
    } else {
      const session = this.#find(exchange, auth);
      const ids =
        session === undefined ? undefined : readBatch(exchange, entries, session.version)?.ids;
      if (ids?.length === 0) session?.take(exchange, entries, auth);
      else if (ids !== undefined) session?.serve(exchange, { value: entries, ids, auth });
    }
  }

  #get(exchange: HttpExchange, auth: AuthContext | undefined): void {
    if (this.#options.sessions === undefined || isModernRequest(undefined, exchange.headers)) {
      this.#refuseMethod(exchange);
    } else if (accepts(exchange.headers, GET_TYPES)) {
      this.#find(exchange, auth)?.listen(exchange, {
        lastEventId: headerOf(exchange.headers, 'last-event-id'),
        auth,
      });
    } else {
      sendText(exchange, 406, {
        text: 'Not acceptable: the client must accept text/event-stream',
      });
    }
  }

  #delete(exchange: HttpExchange, auth: AuthContext | undefined): void {
    const { sessions } = this.#options;
    if (sessions === undefined || isModernRequest(undefined, exchange.headers)) {
      this.#refuseMethod(exchange);
      return;
    }
    const session = this.#find(exchange, auth);
    if (session === undefined) return;
    sessions.end(session.sessionId);
    exchange.respond(200, [], '');
  }

  /** Returns the session of a legacy message; responds with an error when there is none. */
  #find(
    exchange: HttpExchange,
    auth: AuthContext | undefined,
    requestId?: RequestId,
  ): SessionTransport | undefined {
    if (legacyVersionOf(exchange, requestId) === undefined) return undefined;
    const id = headerOf(exchange.headers, 'mcp-session-id');
    if (id === undefined) {
      refuse(
        exchange,
        'an Mcp-Session-Id header is needed, from the response to initialize',
        requestId,
      );
      return undefined;
    }
    const session = this.#options.sessions?.find(id, auth);
    if (session === undefined)
      sendError(exchange, 404, {
        id: requestId,
        code: ErrorCode.invalidRequest,
        message: 'Session not found',
      });
    return session;
  }

  #refuseMethod(exchange: HttpExchange): void {
    const allow = this.#options.sessions === undefined ? 'POST' : 'POST, GET, DELETE';
    sendText(exchange, 405, { text: 'Method not allowed', fields: ['allow', allow] });
  }
}

interface Batch {
  readonly envelopes: readonly Envelope[];
  readonly ids: readonly RequestId[];
}

/**
 * Returns the messages of a batch and the ids that need a response; responds with an error when it
 * is not a valid batch.
 */
function readBatch(
  exchange: HttpExchange,
  entries: readonly unknown[],
  version: ProtocolVersion | undefined,
): Batch | undefined {
  const envelopes = entries.map(readEnvelope);
  if (revisionOf(version)?.hasBatches !== true || entries.length === 0) {
    refuse(exchange, 'a message must be a JSON object');
  } else if (
    envelopes.some(
      (envelope) => envelope.kind === 'request' && envelope.message.method === 'initialize',
    )
  ) {
    refuse(exchange, 'initialize must not be in a batch');
  } else {
    return {
      envelopes,
      ids: [...new Set(envelopes.map(requestIdOf).filter((id) => id !== undefined))],
    };
  }
  return undefined;
}

function requestIdOf(envelope: Envelope): RequestId | undefined {
  if (envelope.kind === 'request') return envelope.message.id;
  return envelope.kind === 'invalid' ? envelope.id : undefined;
}

/**
 * Returns the version in the header, or the default without the header; responds with an error for
 * an unsupported or modern version.
 */
function legacyVersionOf(exchange: HttpExchange, id?: RequestId): ProtocolVersion | undefined {
  const version = headerOf(exchange.headers, 'mcp-protocol-version') ?? HEADERLESS_VERSION;
  const revision = legacyRevision(version);
  if (revision !== undefined) return revision.version;
  const message = `Unsupported protocol version ${shorten(version)} in MCP-Protocol-Version`;
  sendError(exchange, 400, {
    id,
    code: ErrorCode.unsupportedProtocolVersion,
    message,
    data: { supported: PROTOCOL_VERSIONS, requested: version },
  });
  return undefined;
}

function refuse(exchange: HttpExchange, detail: string, id?: RequestId): void {
  sendError(exchange, 400, {
    id,
    code: ErrorCode.invalidRequest,
    message: `Invalid request: ${detail}`,
  });
}
