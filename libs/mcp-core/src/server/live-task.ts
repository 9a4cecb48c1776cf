import type { QuestionMethod, QuestionTypes } from '../era/codec.ts';
import type { JsonObject } from '../jsonrpc/messages.ts';
import type { Progress } from '../protocol/capabilities.ts';
import type { ProtocolError } from '../protocol/errors.ts';
import type { ExchangeQuestion } from './exchange.ts';
import type { ServedRequest } from './served-request.ts';

export interface TaskOptions {
  /** How long the task is kept after its creation, in milliseconds. */
  readonly ttlMs?: number;
}

/** How a handler ended. */
export type TaskOutcome = { readonly result: JsonObject } | { readonly error: ProtocolError };

/** A handler that goes on after its request was answered: what its context does from then on. */
export interface LiveTask {
  /** Aborts when the task is cancelled or expires, or the server ends. */
  readonly signal: AbortSignal;
  ask<M extends QuestionMethod>(question: ExchangeQuestion<M>): Promise<QuestionTypes[M]['result']>;
  progress?(update: Progress): void;
  /** Called once with the handler's end; what comes after a cancellation is dropped. */
  settle(outcome: TaskOutcome): void;
}

/** Makes tasks of requests. */
export interface TaskStarter {
  /** `undefined` when the client of this request cannot have tasks: the handler then goes on as it is. Resolves when the task can be found. */
  start(served: ServedRequest, options: TaskOptions): Promise<{ readonly live: LiveTask; readonly created: JsonObject } | undefined>;
}
