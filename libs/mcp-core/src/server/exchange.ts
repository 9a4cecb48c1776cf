import type { Codec, QuestionMethod, QuestionTypes } from '../era/codec.ts';
import type { JsonObject } from '../jsonrpc/messages.ts';
import type { LoggingLevel } from '../protocol/capabilities.ts';
import type { RequestClient } from './context.ts';

/** One thing a server asks of its client. */
export interface ExchangeQuestion<M extends QuestionMethod> {
  readonly method: M;
  /** Names the question within its request. */
  readonly key: string;
  readonly params: QuestionTypes[M]['params'];
  readonly signal: AbortSignal;
}

/** What serving a request needs of the era it came in: a session that lasts, or the one request itself. */
export interface Exchange {
  readonly codec: Codec;
  readonly client: RequestClient;
  /** Least severe log message the client wants; `undefined` is silence. */
  readonly logLevel: LoggingLevel | undefined;
  /** Sends in call order; a connection that ended swallows it. */
  notify(method: string, params: JsonObject): void;
  /** Tells of a change at least once after it happened, as often as a slow reader lets it; `isWanted` is asked before each repetition. */
  notifyChange(method: string, params: JsonObject, isWanted: () => boolean): void;
  /** @throws ProtocolError -32021 when the client cannot be asked this; the client's own error otherwise. */
  ask<M extends QuestionMethod>(question: ExchangeQuestion<M>): Promise<QuestionTypes[M]['result']>;
}
