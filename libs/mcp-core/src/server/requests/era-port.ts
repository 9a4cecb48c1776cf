import type { Codec, InputMethod, InputTypes } from '../../era/codec.ts';
import type { JsonObject, RequestId } from '../../jsonrpc/messages.ts';
import type { LoggingLevel } from '../../protocol/logging-levels.ts';
import type { RequestClient } from './request-context.ts';
import type { Journal } from '../input/journal.ts';

/** One thing a server asks of its client. */
export interface KeyedInputRequest<M extends InputMethod> {
  readonly method: M;
  /** Names the question within its request. */
  readonly key: string;
  readonly params: InputTypes[M]['params'];
  readonly signal: AbortSignal;
  /** The request it is asked for; none when a session asks for itself. */
  readonly relatedTo?: RequestId;
  /** `_meta` of the question, where it has one. */
  readonly meta?: JsonObject;
}

/** What serving a request needs of the era it came in: a session that lasts, or the one request itself. */
export interface EraPort {
  readonly codec: Codec;
  readonly client: RequestClient;
  /** Least severe log message the client wants; `undefined` is silence. */
  readonly logLevel: LoggingLevel | undefined;
  /** What earlier runs of the handler established; `undefined` where a handler runs once. */
  readonly journal: Journal | undefined;
  /** Whether the client reads so slowly that what can be left out is left out. */
  readonly isCongested: boolean;
  /** Sends in call order; a connection that ended swallows it. `relatedTo` is the request it is sent for. Resolves when the client can take more; never rejects. */
  notify(method: string, params: JsonObject, relatedTo?: RequestId): PromiseLike<void>;
  /** Tells of a change at least once after it happened, as often as a slow reader lets it; `isWanted` is asked before each repetition. */
  notifyChange(method: string, params: JsonObject, isWanted: () => boolean): void;
  /** Lets the client fetch the rest of a request's messages later, where each request has its own stream. */
  closeStream(id: RequestId): void;
  /** @throws ProtocolError -32021 when the client cannot be asked this; the client's own error otherwise. */
  ask<M extends InputMethod>(question: KeyedInputRequest<M>): Promise<InputTypes[M]['result']>;
}
