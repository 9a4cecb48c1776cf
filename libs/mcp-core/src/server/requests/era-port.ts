import type { Codec, InputMethod, InputTypes } from '../../era/codec.ts';
import type { JsonObject, RequestId } from '../../jsonrpc/messages.ts';
import { LocalError } from '../../protocol/errors.ts';
import type { LoggingLevel } from '../../protocol/logging-levels.ts';
import type { KeyedInputRequest } from '../input/input-requests.ts';
import type { Replay } from '../input/replay.ts';
import type { RequestClient } from './request-context.ts';

/** A request to the client that the specification does not define. */
export interface CustomRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly signal: AbortSignal;
  readonly relatedTo?: RequestId | undefined;
}

/** Returns the error of a custom request to a client that accepts no requests. */
export function requestNotInEra({ method }: CustomRequest): LocalError {
  return new LocalError(
    'method-not-in-era',
    `${method} was not sent: a server sends requests only in a legacy session`,
  );
}

/**
 * The side of a served request that depends on its era: a legacy session, a legacy request without
 * a session, or a modern request.
 */
export interface EraPort {
  readonly codec: Codec;
  readonly client: RequestClient;
  /** Least severe level of log messages that the client wants; `undefined` for none. */
  readonly logLevel: LoggingLevel | undefined;
  readonly replay: Replay;
  /** Whether the client reads so slowly that optional notifications are dropped. */
  readonly isCongested: boolean;
  /**
   * Sends a notification, in call order; does nothing after the end of the connection. `relatedTo` is the request to which it belongs. Resolves when the
   * client can take more, `undefined` when it can immediately; never rejects.
   */
  notify(method: string, params: JsonObject, relatedTo?: RequestId): PromiseLike<void> | undefined;
  /** Announces a change at least once after it happened, as often as a slow reader allows. `isWanted` is checked before each repetition. */
  notifyChange(method: string, params: JsonObject, isWanted: () => boolean): void;
  /** Closes the stream of a request, where it has its own and the client can fetch the remaining messages later. */
  closeStream(id: RequestId): void;
  /** Stores the URL elicitations of an error, whose completion may be announced later. Absent where there is no such notification. */
  startElicitations?(elicitations: readonly unknown[], relatedTo: RequestId): void;
  /** Sends a custom request. Rejects with LocalError `method-not-in-era` where servers cannot send requests. */
  request(request: CustomRequest): Promise<JsonObject>;
  /** Sends an input request. @throws ProtocolError -32021 when the client did not declare the capability; else the client's error */
  ask<M extends InputMethod>(inputRequest: KeyedInputRequest<M>): Promise<InputTypes[M]['result']>;
}
