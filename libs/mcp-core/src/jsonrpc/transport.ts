import type { JsonObject, JsonRpcBatch, JsonRpcMessage, RequestId } from './messages.ts';
import type { RefusedId } from './refused-message.ts';

/** Who sent a message, as the transport has verified it. */
export interface AuthContext {
  /** Names the user or service; sessions, request states and tasks are bound to it. */
  readonly principal: string;
  readonly scopes?: readonly string[];
  readonly claims?: JsonObject;
}

/** What a transport knows of a message beside its text. */
export interface MessageOrigin {
  readonly auth?: AuthContext;
  /** Our request on whose stream it came; absent where one stream is for all. */
  readonly relatedTo?: RequestId;
}

export interface SendOptions {
  /** The peer's request that the message belongs to. A transport with several streams sends it on that request's stream, the others ignore it. */
  readonly relatedTo?: RequestId;
  /** Header fields of the HTTP request that carries the message; other transports ignore them. */
  readonly headers?: { readonly [name: string]: string };
}

/** What a transport delivers. Calls are made in wire order and never before `start` returned. */
export interface TransportReceiver {
  /** One parsed JSON value; its JSON-RPC shape is not yet checked. */
  message(value: unknown, origin?: MessageOrigin): void;
  /** A line or body that could not be read: not JSON, or over the limit. The connection goes on. */
  unreadable(problem: UnreadableMessage): void;
  /**
   * Our request with this id was sent and will not be answered: its own stream broke, or the peer refused it outside JSON-RPC. The connection goes on.
   */
  requestFailed?(id: RequestId, error: Error): void;
  /**
   * The peer will send nothing more but may still read: what it asked can be answered before the receiver closes the transport. Without this method
   * the connection ends at once.
   */
  inputEnded?(): void;
  /** Called exactly once, last. `error` says why, when the end was not asked for. */
  closed(error?: Error): void;
}

export interface UnreadableMessage extends RefusedId {
  /** `too-large`: over a limit of its length, of its number of values or of its nesting, and therefore not parsed. */
  readonly reason: 'parse-error' | 'too-large';
  readonly detail: string;
}

/** What `send` may return when the transport can take another message at once: who knows it need not wait. */
export const TAKEN: Promise<void> = Promise.resolve();

/**
 * One JSON-RPC peer, the lowest interface a connection needs.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports
 */
export interface Transport {
  /** Each request is an HTTP request of its own: one that is not answered failed, and says nothing of the peer. Default no. */
  readonly isHttp?: boolean;
  /** Starts delivery; called once. */
  start(receiver: TransportReceiver): Promise<void>;
  /**
   * Resolves when the transport took the message and can take another (backpressure); rejects only when nothing of it was sent: the transport is
   * closed, or the message is not serializable. Order is kept. A batch is only sent to answer a batch.
   */
  send(message: JsonRpcMessage | JsonRpcBatch, options?: SendOptions): Promise<void>;
  /** Ends the stream of a request of the peer before its answer, which the peer then fetches; does nothing where there is one stream for all. */
  closeStream?(id: RequestId): void;
  /** Idempotent; resolves when everything the transport owns (process, streams, timers) is released. */
  close(): Promise<void>;
}
