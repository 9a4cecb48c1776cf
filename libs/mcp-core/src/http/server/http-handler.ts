import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AuthContext } from '../../jsonrpc/transport.ts';
import type { Authenticate } from './authentication.ts';
import type { EventStore } from './event-store.ts';
import type { LegacySsePaths } from './legacy-sse-endpoint.ts';

export interface HttpHandlerOptions {
  /** The path of the MCP endpoint; other paths are answered with 404. Default: every path but those of `legacySse`. */
  readonly path?: string;
  /** Host names, without port, under which the server may be reached; others are answered with 403. Default: `localhost`, `127.0.0.1`, `[::1]`. */
  readonly allowedHosts?: readonly string[] | 'any';
  /** Origins of web pages that may send requests; others are answered with 403. Default none, beside loopback origins on an allowed loopback host. */
  readonly allowedOrigins?: readonly string[] | 'any';
  /** Called with the header fields of each request that brings no `auth` of its own. Default: requests have no principal. */
  readonly authenticate?: Authenticate;
  /** The token, or tokens, one of which a request must carry; a shorthand for `authenticate`. */
  readonly bearerToken?: string | readonly string[];
  /** Default 4 MiB; a longer body is answered with 413. */
  readonly maxBodyBytes?: number;
  /** Legacy requests without a session are served alone, and none is opened. Default false. */
  readonly stateless?: boolean;
  /** Default 10,000; beyond it the session that was idle longest ends, or, when all are in use, `initialize` is answered with 503. */
  readonly maxSessions?: number;
  /**
   * Requests without a session that run at the same time, listen streams included: those of 2026-07-28, and legacy ones with
   * `stateless`. Default 10,000; more are answered with 503 and `Retry-After`. A session runs at most 4096.
   */
  readonly maxConcurrentRequests?: number;
  /** How long a session lasts without a request and without an open stream, in milliseconds. Default 30 minutes. */
  readonly sessionIdleMs?: number;
  /**
   * Where the events of sessions wait for clients that lost a connection. Default: in memory, 1000 events and 1 MiB for each session. With `false` events
   * have no ids, and what is sent while a client is away is lost.
   */
  readonly eventStore?: EventStore | false;
  /** After how many milliseconds a client comes back to a stream whose connection was closed. Default 1000. */
  readonly retryMs?: number;
  /** How often, in milliseconds, something is sent on streams that are quiet. An answer that takes longer begins as a stream. Default 15,000. */
  readonly keepAliveMs?: number;
  /** How long `close` waits for the answers under way, in milliseconds. Default 3000. */
  readonly drainMs?: number;
  /** Also serves HTTP+SSE, the transport before 2025-03-26. Default false. */
  readonly legacySse?: boolean | LegacySsePaths;
  /** Called with each failure that the client is not told in detail. Default: one line on stderr. */
  readonly onError?: (error: unknown) => void;
}

export interface RequestAuth {
  /** Who sent the request, as the caller verified it; `authenticate` is then not asked. */
  readonly auth?: AuthContext;
}

/** Serves MCP over HTTP, all revisions at one path. */
export interface HttpHandler {
  /** For `node:http`. The body must not have been read. */
  handle(request: IncomingMessage, response: ServerResponse, options?: RequestAuth): void;
  /** For everything that has the web platform's requests. Never rejects. */
  fetch(request: Request, options?: RequestAuth): Promise<Response>;
  /** Ends subscriptions in good order, waits for the answers under way, then ends sessions and what is left. Later requests get 503. Idempotent. */
  close(): Promise<void>;
}
