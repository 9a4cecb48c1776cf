import type { JsonRpcNotification, JsonRpcRequest } from './messages.ts';
import type { ResultOrError } from './responses.ts';
import type { RunningRequest } from './running-request.ts';
import type { MessageOrigin } from './transport.ts';

/** Callbacks of a peer; the peer calls them in wire order. */
export interface PeerHandlers {
  /**
   * Handles a request, synchronously or later; `undefined` sends no response. Called in wire order;
   * responses leave as they become ready. `running` is cancelled by `cancel` and when the
   * connection ends; a later response is dropped. An error thrown here is sent as -32603 and
   * reported to `problem`.
   */
  request(
    request: JsonRpcRequest,
    running: RunningRequest,
  ): ResultOrError | undefined | Promise<ResultOrError | undefined>;
  /**
   * Returns the part of a request to keep while it runs and to pass to `request`. Default: all of
   * it.
   */
  kept?(request: JsonRpcRequest): JsonRpcRequest;
  /** Called in wire order with the requests. Must not throw. */
  notification(notification: JsonRpcNotification, origin: MessageOrigin | undefined): void;
  /**
   * Called when the peer sends nothing more. Its earlier requests can be answered until `close`.
   * Default: closes immediately.
   */
  inputEnded?(): void;
  /** Called once, last. `error` is the cause when the connection was not closed on purpose. */
  ended(error?: Error): void;
  /**
   * Whether an invalid message without a readable id gets an error response without id. Default:
   * no.
   */
  answersWithoutId?(): boolean;
  /**
   * Whether arrays are read as batches of at most 100 messages instead of being rejected. Default:
   * no.
   */
  acceptsBatch?(): boolean;
  /**
   * Called for faults that do not end the connection: unreadable input, an unusable response, a
   * failed handler.
   */
  problem?(error: Error): void;
}
