import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AuthContext } from '../../jsonrpc/transport.ts';
import type { Authenticate, BearerTokens, RequestAuthenticator } from './authentication.ts';
import type { EventStore } from './event-store.ts';
import type { LegacySsePaths } from './legacy-sse-endpoint.ts';

/** Rules for accepting requests. */
export interface HttpAccessOptions {
  /**
   * Host names, without port, under which the server may be reached; others get 403. A name with a
   * scheme, port or path is refused at the start. Default: `localhost`, `127.0.0.1`, `[::1]`.
   */
  readonly allowedHosts?: readonly string[] | 'any' | undefined;
  /**
   * Origins of web pages that may send requests, as browsers send them: `https://app.example`,
   * without a path, final slash or default port, otherwise the server is not created. Others get
   * 403. Default: only loopback origins on an allowed loopback host. The listed origins also get CORS: preflight requests are answered,
   * and their pages may read responses.
   */
  readonly allowedOrigins?: readonly string[] | 'any' | undefined;
  /**
   * Called with the header fields of each request without `auth`. Default: requests have no
   * principal.
   */
  readonly authenticate?: Authenticate | RequestAuthenticator | undefined;
  /**
   * Accepted tokens; every request must carry one. A shorthand for `authenticate`. A token or a list
   * of tokens belongs to the principal `bearer`; an object names the principal of each token.
   */
  readonly bearerToken?: string | readonly string[] | BearerTokens | undefined;
}

/** Limits of an HTTP handler. */
export interface HttpLimits {
  /** Longest body in bytes; a longer one gets 413. Default: 4 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /**
   * Maximum number of concurrent requests without a session, listen streams included: modern
   * requests, and legacy ones when `sessions` is false. Others get 503 and `Retry-After`. Default:
   * 10,000. A session runs at most 4096.
   */
  readonly maxConcurrentRequests?: number | undefined;
  /**
   * Bytes of the requests that arrive or run, together; each running request counts as 8 KiB more.
   * Beyond it the request that has been arriving longest gets 503 and `Retry-After`. Default:
   * 256 MiB.
   */
  readonly maxRequestBytes?: number | undefined;
  /**
   * Bytes of responses and streams that wait for slow readers, together. Beyond it the connection
   * that has been waiting longest ends. Default: 256 MiB.
   */
  readonly maxUnsentBytes?: number | undefined;
  /** Milliseconds that `close` waits for running responses. Default: 3000. */
  readonly drainMs?: number | undefined;
}

/** Options of legacy sessions. */
export interface HttpSessionOptions {
  /**
   * Maximum number of sessions. Beyond it the session that was idle longest ends; if all are in
   * use, `initialize` gets 503. Default: 10,000.
   */
  readonly maxSessions?: number | undefined;
  /**
   * Milliseconds without a message of the client and without a connection on which it waits, after
   * which a session ends and its handlers are aborted. Default: 30 minutes.
   */
  readonly sessionIdleMs?: number | undefined;
  /**
   * Stores the events of sessions for clients that lost a connection. Default: in memory, 1000
   * events and 1 MiB per session. With `false` events have no ids, and messages sent to a
   * disconnected client are lost.
   */
  readonly eventStore?: EventStore | false | undefined;
  /**
   * Milliseconds after which a client resumes a stream whose connection was closed. Default: 1000.
   */
  readonly retryMs?: number | undefined;
}

/** Options of `createHttpHandler`. */
export interface HttpHandlerOptions {
  /**
   * Path of the MCP endpoint; other paths get 404. Default: every path except the paths of
   * `legacySse`.
   */
  readonly path?: string | undefined;
  /** Default: requests to and from loopback, without authentication. */
  readonly access?: HttpAccessOptions | undefined;
  readonly limits?: HttpLimits | undefined;
  /** `false` serves legacy requests without sessions. */
  readonly sessions?: HttpSessionOptions | false | undefined;
  /**
   * Milliseconds between keep-alives on quiet streams. A response that takes longer becomes a
   * stream. Default: 15,000.
   */
  readonly keepAliveMs?: number | undefined;
  /** Also serves HTTP+SSE, the transport before 2025-03-26. Default: false. */
  readonly legacySse?: boolean | LegacySsePaths | undefined;
  /**
   * Called with each failure whose details are not sent to the client. Default: one line on stderr.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Results of the framework that received a request. */
export interface HandleOptions {
  /** The authenticated sender; `authenticate` is then not called. */
  readonly auth?: AuthContext | undefined;
  /**
   * The body, if it was already read: parsed JSON, or its text or bytes. Required behind body
   * parsers such as those of express and fastify. Default: the body is read from the request.
   */
  readonly body?: unknown;
}

/** Numbers of a handler at one moment; all are 0 when no client is connected or has a session. */
export interface HttpHandlerStats {
  /** Legacy sessions, idle ones included. */
  readonly sessions: number;
  /** Open connections of HTTP+SSE. */
  readonly sseConnections: number;
  /** Requests without a session whose handlers run, listen streams included. */
  readonly requests: number;
  /** Responses that are not complete: those of `requests`, and of POSTs of sessions. */
  readonly responses: number;
  /** Bytes of the requests that arrive or run, as `limits.maxRequestBytes` counts them. */
  readonly requestBytes: number;
  /** Bytes that wait for slow readers. */
  readonly unsentBytes: number;
}

/** Serves MCP over HTTP, all revisions at one path. */
export interface HttpHandler {
  /**
   * Handles a request of `node:http`, or of a framework on top of it. Header fields that are already
   * set on the response are kept.
   */
  handle(request: IncomingMessage, response: ServerResponse, options?: HandleOptions): void;
  /** Handles a request of the web platform. Never rejects. */
  fetch(request: Request, options?: HandleOptions): Promise<Response>;
  /** Returns the numbers of sessions, connections and running requests, for monitoring. */
  stats(): HttpHandlerStats;
  /**
   * Ends subscriptions in good order, waits for running responses, then ends sessions and the
   * remaining connections. Later requests get 503. Idempotent.
   */
  close(): Promise<void>;
}
