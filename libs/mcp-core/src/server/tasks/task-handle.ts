import type { InputMethod, InputTypes } from '../../era/codec.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { AuthContext } from '../../jsonrpc/transport.ts';
import type { ProtocolError } from '../../protocol/errors.ts';
import type { Progress } from '../../protocol/progress.ts';
import type { TaskSupport } from '../../protocol/tasks.ts';
import type { KeyedInputRequest } from '../input/input-requests.ts';
import type { EraPort } from '../requests/era-port.ts';
import type { ProgressReporter } from '../requests/progress.ts';

export interface TaskOptions {
  /** Time to live of the task after its creation in milliseconds. */
  readonly ttlMs?: number;
}

/** The end of a handler. */
export type TaskOutcome = { readonly result: JsonObject } | { readonly error: ProtocolError };

/** The task of a running handler, as its request uses it. */
export interface TaskHandle {
  /** Aborts when the task is cancelled or expires, or the server stops. */
  readonly signal: AbortSignal;
  /** Adds an input request to the task. @throws ProtocolError -32021 when the client did not declare the capability */
  ask<M extends InputMethod>(inputRequest: KeyedInputRequest<M>): Promise<InputTypes[M]['result']>;
  progress(update: Progress): void;
  /** Cancels a task that could not be announced to the client. */
  cancel(): void;
  /** Ends the task. Call once; an end after a cancellation is ignored. */
  settle(outcome: TaskOutcome): void;
}

/** Whether a call becomes a task: never, when its handler calls `startTask`, or before its handler runs. */
export type TaskAdmission =
  | { readonly kind: 'never' }
  | { readonly kind: 'later' }
  | { readonly kind: 'now'; readonly options: TaskOptions };

/** The call that becomes a task. */
export interface TaskRequest {
  readonly auth: AuthContext | undefined;
  readonly params: JsonObject;
  readonly port: EraPort;
  /** Opens a reporter that sends progress with this `_meta`. */
  openProgress(meta: JsonObject): ProgressReporter;
}

/** Turns tool calls into tasks. */
export interface TaskStarter {
  /** Decides whether a call becomes a task. @throws ProtocolError -32601 or -32021 when the client's request does not match the tool's support for tasks */
  admit(port: EraPort, params: JsonObject, support: TaskSupport): TaskAdmission;
  /** Creates the task. Resolves when the client can find it. @throws ProtocolError -32603 when too many tasks run */
  start(
    request: TaskRequest,
    options: TaskOptions,
  ): Promise<{ readonly handle: TaskHandle; readonly created: JsonObject }>;
}
