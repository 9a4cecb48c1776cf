import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { InputMethod, InputTypes } from '../../era/codec.ts';
import type { KeyedInputRequest } from './input-requests.ts';
import type { Suspended } from './journal.ts';

/** The runs of a modern handler over its input rounds. In each round the handler runs again from its start. */
export interface HandlerReplay {
  readonly isPossible: true;
  /** Whether the handler repeats an earlier run, whose progress and log messages were sent before. */
  readonly isReplaying: boolean;
  /** Whether an input request has no response yet, so that the handler must run again. */
  readonly isSuspended: boolean;
  /** Registers the listener that is called once, when the round of input requests is complete. */
  onSuspended(listener: (reason: Suspended) => void): void;
  /** Resolves with the input response, or rejects with `Suspended` when there is none yet. */
  ask<M extends InputMethod>(inputRequest: KeyedInputRequest<M>): Promise<InputTypes[M]['result']>;
  /** Runs an effect unless an earlier run stored its result. */
  once<T>(key: string, run: () => T | Promise<T>): Promise<T>;
  /** Makes the request state one of a destructive call, because a middleware calls another tool. */
  requireSingleUse(): void;
  /** Marks the request state of a destructive call as used, once for the request; returns `undefined` when there is nothing to mark. Rejects with ProtocolError -32602 when it was used before. */
  consumeState(): Promise<void> | undefined;
  /** Returns the `input_required` result of a suspended handler, after its effects have ended. @throws Error beyond the limits of rounds or size */
  inputRequired(): Promise<JsonObject>;
}

/** The replay of a handler, or of a handler that runs only once. */
export type Replay = HandlerReplay | typeof NO_REPLAY;

/** The replay of a handler that runs only once. */
export const NO_REPLAY = { isPossible: false, isReplaying: false, isSuspended: false } as const;
