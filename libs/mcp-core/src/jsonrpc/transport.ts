import type { JsonObject, JsonRpcBatch, JsonRpcMessage, RequestId } from './messages.ts';
import type { RefusedId } from './refused-message.ts';

/** The authenticated sender of a message, as verified by the transport. */
export interface AuthContext {
  /**
   * Identifies the user or service; owns sessions, request states and tasks. The subject of a token
   * of OAuth.
   */
  readonly principal: string;
  /** Scopes that the sender was granted. Absent when scopes do not limit the sender. */
  readonly scopes?: readonly string[];
  /** Identifier of the OAuth client that got the token. */
  readonly clientId?: string;
  /** Time at which the token expires, in milliseconds since 1970. */
  readonly expiresAtMs?: number;
  /** Claims of the token, as its issuer signed or confirmed them. Must not be logged. */
  readonly claims?: JsonObject;
}

/** Transport information about a received message. */
export interface MessageOrigin {
  readonly auth?: AuthContext;
  /** Our request on whose stream the message arrived; absent on transports with a single stream. */
  readonly relatedTo?: RequestId;
}

/** Details of a message that help a transport to route it. */
export interface SendOptions {
  /**
   * The peer's request to which the message belongs. A transport with a stream per request uses
   * that request's stream; others ignore it.
   */
  readonly relatedTo?: RequestId | undefined;
  /** Header fields sent with the message, by a transport that carries headers; others ignore them. */
  readonly headers?: { readonly [name: string]: string } | undefined;
  /**
   * Called before a request is sent, each time that it is, with the value of `credentials` that it is
   * sent with. Called by a transport that has `credentials`; others ignore it.
   */
  readonly onCredentials?: ((credentials: string) => void) | undefined;
}

/**
 * Receives the messages of a transport. The transport calls it in wire order, never before `start`
 * returns and never after `closed`. No method throws.
 */
export interface TransportReceiver {
  /**
   * Delivers a parsed JSON value, not yet checked as JSON-RPC. It must be the receiver's own: the
   * transport never reads or changes it afterwards.
   */
  message(value: unknown, origin?: MessageOrigin): void;
  /** Reports a message that is not JSON or exceeds a limit. The connection continues. */
  unreadable(problem: UnreadableMessage): void;
  /**
   * Reports that our request was sent and will get no response: its stream broke, or the peer
   * refused it outside JSON-RPC. The connection continues.
   */
  requestFailed?(id: RequestId, error: Error): void;
  /**
   * Reports that the peer sends nothing more but may still read: its requests can be answered
   * before the receiver closes the transport. Without this method the connection ends immediately.
   */
  inputEnded?(): void;
  /**
   * Reports the end of the connection. Called exactly once, last, whichever side ended it. `error`
   * is the cause when the transport was not closed on purpose.
   */
  closed(error?: Error): void;
}

/** A message that a transport received and could not read. */
export interface UnreadableMessage extends RefusedId {
  /** `too-large`: over a limit on length, number of values or nesting, and therefore not parsed. */
  readonly reason: 'parse-error' | 'too-large';
  readonly detail: string;
}

/**
 * A connection to one JSON-RPC peer: the lowest interface that clients and servers need. A client
 * opens it in the function passed to `connectClient`; a server is given it by `Server.connect`.
 * `transportContract` of `./testing` checks an implementation.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports#custom-transports
 */
export interface Transport {
  /**
   * Whether each request has a stream of its own, which ends with its response. Then a missing
   * response says nothing about the peer, `requestFailed` reports the loss of one request while the
   * connection continues, and the end of the stream says that no notifications of the request
   * follow. Otherwise all messages share one ordered stream. Default: no.
   */
  readonly hasStreamPerRequest?: boolean;
  /** Whether `SendOptions.headers` reach the peer. Default: no. */
  readonly carriesHeaders?: boolean;
  /**
   * Returns a text that names the credentials with which the next request would be sent, such as a
   * digest of the access token: a client reuses private results of requests with the same one only.
   * Default: the credentials of the connection never change.
   * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
   */
  credentials?(): string | Promise<string>;
  /**
   * Starts delivery; called once, before any other method but `close`. Messages that arrived
   * earlier are delivered too. Rejects when the connection cannot be opened; `closed` is then not
   * called.
   */
  start(receiver: TransportReceiver): Promise<void>;
  /**
   * Sends a message. May be called again before the previous call has resolved: messages leave in
   * the order of the calls, where they share a stream. Serializes the message before it returns, so
   * that the caller may change it afterwards.
   * Returns `undefined` when the next message can be sent immediately, otherwise a promise that
   * resolves when it can (backpressure), or when the connection has ended; neither means that the
   * peer has read the message. Rejects or throws when nothing was sent: the transport is closed, or
   * the message cannot be serialized; for a message other than a request also when the peer refused
   * it. Batches are sent only in response to batches.
   * Responses are never dropped: a server's transport stops reading while much output is unsent.
   */
  send(message: JsonRpcMessage | JsonRpcBatch, options?: SendOptions): Promise<void> | undefined;
  /**
   * Closes the stream of a peer's request before its response, so that the peer resumes the stream
   * later; has no effect on transports with a single stream.
   */
  closeStream?(id: RequestId): void;
  /**
   * Sends what `send` has accepted, as far as the peer reads it within a short time, and ends the
   * connection. Idempotent, also after the peer has ended it and before `start`. Resolves when
   * `closed` was called and all resources of the transport (process, streams, timers) are released.
   */
  close(): Promise<void>;
}
