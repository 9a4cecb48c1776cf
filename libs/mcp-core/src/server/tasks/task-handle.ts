import type { InputMethod, InputTypes } from '../../era/codec.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { Progress } from '../../protocol/progress.ts';
import type { ProtocolError } from '../../protocol/errors.ts';
import type { TaskSupport } from '../../protocol/tasks.ts';
import type { EraPort, KeyedInputRequest } from '../requests/era-port.ts';
import type { ActiveRequest } from '../requests/active-request.ts';

export interface TaskOptions {
  /** How long the task is kept after its creation, in milliseconds. */
  readonly ttlMs?: number;
}

/** How a handler ended. */
export type TaskOutcome = { readonly result: JsonObject } | { readonly error: ProtocolError };

/** A handler that goes on after its request was answered: what its context does from then on. */
export interface TaskHandle {
  /** Aborts when the task is cancelled or expires, or the server ends. */
  readonly signal: AbortSignal;
  /** @throws ProtocolError -32021 when the client cannot be asked this. */
  ask<M extends InputMethod>(question: KeyedInputRequest<M>): Promise<InputTypes[M]['result']>;
  progress(update: Progress): void;
  /** The client will never know of it. */
  cancel(): void;
  /** Called once with the handler's end; what comes after a cancellation is dropped. */
  settle(outcome: TaskOutcome): void;
}

/** Whether a call becomes a task: never, as soon as its handler says so, or before it runs. */
export type TaskAdmission =
  | { readonly kind: 'never' }
  | { readonly kind: 'later' }
  | { readonly kind: 'now'; readonly options: TaskOptions };

/** Makes tasks of requests. */
export interface TaskStarter {
  /** @throws ProtocolError -32601 or -32021 when the call needs a task and the client did not ask for one, or asked for one that cannot be. */
  admit(port: EraPort, params: JsonObject, support: TaskSupport): TaskAdmission;
  /** Resolves when the task can be found. @throws ProtocolError -32603 when too many run. */
  start(
    served: ActiveRequest,
    options: TaskOptions,
  ): Promise<{ readonly live: TaskHandle; readonly created: JsonObject }>;
}
