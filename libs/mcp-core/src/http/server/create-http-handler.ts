import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AuthContext } from '../../jsonrpc/transport.ts';
import { guarded, reportToStderr } from '../../jsonrpc/report-to-stderr.ts';
import type { Server } from '../../server/server.ts';
import { bearerTokens, type BearerTokens, type RequestAuthenticator } from './authentication.ts';
import { addFieldsOf, sendRefusal, serveDocument } from './authenticated-access.ts';
import { ByteBudget, type HandlerMemory } from './byte-budget.ts';
import { Cors } from './cors.ts';
import { MemoryEventStore } from './event-store.ts';
import type { HttpExchange } from './http-exchange.ts';
import type {
  HandleOptions,
  HttpAccessOptions,
  HttpHandler,
  HttpHandlerOptions,
  HttpHandlerStats,
} from './http-handler.ts';
import { sendText } from './json-responses.ts';
import type { LegacySseEndpoint, LegacySseOptions } from './legacy-sse-endpoint.ts';
import { McpEndpoint } from './mcp-endpoint.ts';
import { NodeExchange } from './node-exchange.ts';
import { OpenExchanges } from './open-exchanges.ts';
import { LOOPBACK_HOSTS } from '../headers/loopback.ts';
import { OriginCheck } from './origin-check.ts';
import { ScopeCheck } from './scope-check.ts';
import { Sessions } from './sessions.ts';
import { WebExchange } from './web-exchange.ts';

/**
 * Serves a server over HTTP, through `node:http` or web requests.
 * @throws Error when a bearer token cannot be sent in a header, or both `bearerToken` and
 * `authenticate` are given; also for an allowed host or origin that no request can have.
 */
export function createHttpHandler(server: Server, options: HttpHandlerOptions = {}): HttpHandler {
  return new ServingHandler(server, options);
}

/** Serves a request on a path. */
type Endpoint = (exchange: HttpExchange, auth: AuthContext | undefined) => void;

class ServingHandler implements HttpHandler {
  readonly #origins: OriginCheck;
  readonly #cors: Cors | undefined;
  readonly #authenticator: RequestAuthenticator | undefined;
  readonly #endpoints = new Map<string, Endpoint>();
  /** Endpoint for all other paths. */
  readonly #otherwise: Endpoint | undefined;
  readonly #memory: HandlerMemory;
  readonly #exchanges: OpenExchanges;
  readonly #endpoint: McpEndpoint;
  readonly #sessions: Sessions | undefined;
  #sse: LegacySseEndpoint | undefined;
  readonly #ending = new AbortController();
  readonly #drainMs: number;
  readonly #keepAliveMs: number;
  readonly #sweepMs: number;
  readonly #onError: (error: unknown) => void;
  #sweep: NodeJS.Timeout | undefined;
  #keptAliveAt = 0;
  #closing: Promise<void> | undefined;

  constructor(server: Server, options: HttpHandlerOptions) {
    const { path, keepAliveMs = 15_000, access = {}, limits = {}, legacySse = false } = options;
    const { allowedHosts = LOOPBACK_HOSTS, allowedOrigins = [] } = access;
    const {
      maxBodyBytes = 4_194_304,
      maxConcurrentRequests = 10_000,
      maxRequestBytes = 268_435_456,
      maxUnsentBytes = 268_435_456,
      drainMs = 3000,
    } = limits;
    const {
      maxSessions = 10_000,
      sessionIdleMs = 1_800_000,
      retryMs = 1000,
      eventStore = new MemoryEventStore(),
    } = options.sessions === false ? {} : (options.sessions ?? {});
    const onError = guarded(options.onError ?? reportToStderr);
    this.#drainMs = drainMs;
    this.#keepAliveMs = keepAliveMs;
    this.#sweepMs = Math.min(keepAliveMs, sessionIdleMs);
    this.#onError = onError;
    this.#origins = new OriginCheck({ allowedHosts, allowedOrigins });
    this.#cors = allowedOrigins.length === 0 ? undefined : new Cors(allowedOrigins);
    this.#authenticator = authenticatorOf(access);
    const scopes = new ScopeCheck(server, this.#authenticator);
    this.#memory = {
      requests: new ByteBudget(maxRequestBytes),
      unsent: new ByteBudget(maxUnsentBytes),
    };
    const exchanges = new OpenExchanges(this.#memory.requests);
    this.#exchanges = exchanges;
    if (options.sessions !== false) {
      this.#sessions = new Sessions(server, {
        maxSessions,
        sessionIdleMs,
        retryMs,
        eventStore: eventStore === false ? undefined : eventStore,
        exchanges,
        onError,
      });
    }
    this.#endpoint = new McpEndpoint({
      server,
      scopes,
      sessions: this.#sessions,
      exchanges,
      ended: this.#ending.signal,
      maxBodyBytes,
      maxConcurrentRequests,
      onError,
    });
    const serve: Endpoint = (exchange, auth) => {
      this.#endpoint.serve(exchange, auth);
    };
    if (path === undefined) this.#otherwise = serve;
    else this.#endpoints.set(path, serve);
    const { stream = '/sse', messages = '/messages' } =
      typeof legacySse === 'object' ? legacySse : {};
    if (legacySse !== false) {
      const sseOptions: LegacySseOptions = {
        server,
        scopes,
        messagesPath: messages,
        maxBodyBytes,
        maxConnections: maxSessions,
        onError,
      };
      const endpointOf =
        (method: 'serveStream' | 'serveMessage'): Endpoint =>
        (exchange, auth) => {
          if (this.#sse !== undefined) this.#sse[method](exchange, auth);
          else void this.#firstOfSse(sseOptions, exchange, (sse) => sse[method](exchange, auth));
        };
      this.#endpoints.set(stream, endpointOf('serveStream'));
      this.#endpoints.set(messages, endpointOf('serveMessage'));
    }
  }

  handle(
    request: IncomingMessage,
    response: ServerResponse,
    { auth, body }: HandleOptions = {},
  ): void {
    this.#serve(new NodeExchange(request, response, { body, memory: this.#memory }), auth);
  }

  fetch(request: Request, { auth, body }: HandleOptions = {}): Promise<Response> {
    const exchange = new WebExchange(request, { body, memory: this.#memory });
    this.#serve(exchange, auth);
    return exchange.response;
  }

  stats(): HttpHandlerStats {
    return {
      sessions: this.#sessions?.size ?? 0,
      sseConnections: this.#sse?.size ?? 0,
      requests: this.#endpoint.running,
      responses: this.#exchanges.size,
      requestBytes: this.#memory.requests.bytes,
      unsentBytes: this.#memory.unsent.bytes,
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #serve(exchange: HttpExchange, auth: AuthContext | undefined): void {
    const { headers } = exchange;
    const endpoint = this.#endpoints.get(exchange.path) ?? this.#otherwise;
    if (!this.#origins.allowsHost(headers)) {
      sendText(exchange, 403, { text: 'Forbidden: this Host is not allowed' });
      return;
    }
    const document = this.#authenticator?.documents?.[exchange.path];
    if (document !== undefined) {
      serveDocument(exchange, document);
      return;
    }
    this.#cors?.addFields(exchange);
    if (!this.#origins.allowsOrigin(headers)) {
      sendText(exchange, 403, { text: 'Forbidden: this Origin is not allowed' });
    } else if (endpoint === undefined) {
      sendText(exchange, 404, { text: 'Not found' });
    } else if (this.#cors?.answerPreflight(exchange) === true) {
      return;
    } else if (this.#closing !== undefined) {
      sendClosing(exchange);
    } else {
      this.#startSweep();
      if (auth !== undefined || this.#authenticator === undefined) endpoint(exchange, auth);
      else void this.#authenticated(this.#authenticator, exchange, endpoint);
    }
  }

  async #authenticated(
    authenticator: RequestAuthenticator,
    exchange: HttpExchange,
    endpoint: Endpoint,
  ): Promise<void> {
    try {
      const decision = await authenticator.authenticate(exchange.headers, {
        method: exchange.method,
        path: exchange.path,
      });
      if (exchange.isGone()) return;
      if ('refused' in decision) {
        if (decision.problem !== undefined) this.#onError(decision.problem);
        sendRefusal(exchange, decision);
      } else {
        addFieldsOf(exchange, decision);
        exchange.checkBody = decision.checkBody;
        endpoint(exchange, decision.auth);
      }
    } catch (error) {
      this.#onError(error);
      sendText(exchange, 500, { text: 'Internal server error' });
    }
  }

  /** Loads the code of HTTP+SSE, which few servers need, and serves an exchange with it. */
  async #firstOfSse(
    options: LegacySseOptions,
    exchange: HttpExchange,
    serve: (sse: LegacySseEndpoint) => void,
  ): Promise<void> {
    const { LegacySseEndpoint } = await import('./legacy-sse-endpoint.ts');
    if (exchange.isGone()) return;
    this.#sse ??= new LegacySseEndpoint(options);
    if (this.#closing === undefined) serve(this.#sse);
    else sendClosing(exchange);
  }

  /** Starts the only timer for streams and sessions. It does not keep the process alive. */
  #startSweep(): void {
    if (this.#sweep !== undefined) return;
    this.#keptAliveAt = Date.now();
    this.#sweep = setInterval(() => {
      this.#sweepNow();
    }, this.#sweepMs);
    this.#sweep.unref();
  }

  #sweepNow(): void {
    this.#sessions?.expire();
    if (Date.now() - this.#keptAliveAt < this.#keepAliveMs) return;
    this.#keptAliveAt = Date.now();
    this.#exchanges.keepAlive();
    this.#sessions?.keepAlive();
    this.#sse?.keepAlive();
  }

  async #close(): Promise<void> {
    this.#ending.abort();
    await this.#exchanges.drained(this.#drainMs);
    await Promise.all([this.#sessions?.close(), this.#sse?.close()]);
    this.#exchanges.abort();
    clearInterval(this.#sweep);
  }
}

function sendClosing(exchange: HttpExchange): void {
  sendText(exchange, 503, { text: 'The server is closing', fields: ['connection', 'close'] });
}

/** @see https://www.rfc-editor.org/rfc/rfc6750#section-2.1 */
const BEARER_TOKEN = /^[\w.~+/-]+=*$/u;

function authenticatorOf({
  authenticate,
  bearerToken,
}: HttpAccessOptions): RequestAuthenticator | undefined {
  if (bearerToken === undefined)
    return typeof authenticate === 'function' ? { authenticate } : authenticate;
  if (authenticate !== undefined) throw new Error('Pass bearerToken or authenticate, not both');
  const owners: BearerTokens =
    typeof bearerToken === 'string' || isList(bearerToken) ? { bearer: bearerToken } : bearerToken;
  const tokens = Object.entries(owners).flatMap(([principal, owned]) =>
    [owned].flat().map((token) => ({ token, principal })),
  );
  if (tokens.length === 0 || !tokens.every(({ token }) => BEARER_TOKEN.test(token)))
    throw new Error('A bearer token has one or more of A-Z a-z 0-9 - . _ ~ + / and, at its end, =');
  const principals = new Map(tokens.map(({ token, principal }) => [token, principal]));
  if (tokens.some(({ token, principal }) => principals.get(token) !== principal))
    throw new Error('Two principals have the same bearer token: give each a token of its own');
  return { authenticate: bearerTokens(tokens) };
}

/** `Array.isArray` does not narrow a read-only list. */
function isList(value: BearerTokens | readonly string[]): value is readonly string[] {
  return Array.isArray(value);
}
