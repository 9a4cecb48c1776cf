import type { JsonObject, JsonRpcBatch, JsonRpcMessage, RequestId } from './messages.ts';
import type { RefusedId } from './refused-message.ts';

/** The authenticated sender of a message, as verified by the transport. */
export interface AuthContext {
  /** Identifies the user or service; owns sessions, request states and tasks. */
  readonly principal: string;
  readonly scopes?: readonly string[];
  readonly claims?: JsonObject;
}

/** Transport information about a received message. */
export interface MessageOrigin {
  readonly auth?: AuthContext;
  /** Our request on whose stream the message arrived; absent on transports with a single stream. */
  readonly relatedTo?: RequestId;
}

export interface SendOptions {
  /**
   * The peer's request to which the message belongs. A transport with a stream per request uses
   * that request's stream; others ignore it.
   */
  readonly relatedTo?: RequestId;
  /** Header fields sent with the message, by a transport that carries headers; others ignore them. */
  readonly headers?: { readonly [name: string]: string };
}

/**
 * Receives the messages of a transport. Calls follow wire order and never occur before `start`
 * returns.
 */
export interface TransportReceiver {
  /** Delivers a parsed JSON value, not yet checked as JSON-RPC. */
  message(value: unknown, origin?: MessageOrigin): void;
  /** Reports a line or body that is not JSON or exceeds a limit. The connection continues. */
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
   * Called exactly once, last. `error` is the cause when the transport was not closed on purpose.
   */
  closed(error?: Error): void;
}

export interface UnreadableMessage extends RefusedId {
  /** `too-large`: over a limit on length, number of values or nesting, and therefore not parsed. */
  readonly reason: 'parse-error' | 'too-large';
  readonly detail: string;
}

/** Returned by `send` when there is no backpressure: compare by identity to skip the await. */
export const TAKEN: Promise<void> = Promise.resolve();

/**
 * A connection to one JSON-RPC peer: the lowest interface that clients and servers need.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports
 */
export interface Transport {
  /**
   * Whether each request has a stream of its own, so that a missing response says nothing about the
   * peer, and one request can be lost while the connection stays. Default: no.
   */
  readonly hasStreamPerRequest?: boolean;
  /** Whether `SendOptions.headers` reach the peer. Default: no. */
  readonly carriesHeaders?: boolean;
  /** Starts delivery. Called once. */
  start(receiver: TransportReceiver): Promise<void>;
  /**
   * Resolves when the transport has taken the message and can take another (backpressure); rejects
   * only when nothing was sent: the transport is closed, or the message cannot be serialized. Keeps
   * order. Batches are sent only in response to batches.
   */
  send(message: JsonRpcMessage | JsonRpcBatch, options?: SendOptions): Promise<void>;
  /**
   * Closes the stream of a peer's request before its response, so that the peer resumes the stream
   * later; has no effect on transports with a single stream.
   */
  closeStream?(id: RequestId): void;
  /**
   * Idempotent. Resolves when all resources of the transport (process, streams, timers) are
   * released.
   */
  close(): Promise<void>;
}
