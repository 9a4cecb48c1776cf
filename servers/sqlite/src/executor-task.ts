import type { ChunkExchange } from './chunk-exchange.ts';
import type { OperationPhase } from './executor-failures.ts';
import type { ExecutorRequest } from './executor/messages.ts';

/** An operation that waits for a query process or runs in one. */
export interface ExecutorTask {
  request: ExecutorRequest;
  readonly exchange: ChunkExchange;
  /** Whether its request may be sent while the process runs another operation, and sent again. */
  readonly isShared: boolean;
  readonly totalTimeoutMs: number | undefined;
  /** Milliseconds that a repetition has left; default the time limit of a step. */
  leftMs: number | undefined;
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Removes the listener from the caller's signal. */
  readonly release: () => void;
  phase: OperationPhase;
  isRepeated: boolean;
  isSettled: boolean;
}

export function succeed(task: ExecutorTask, output: unknown): void {
  task.isSettled = true;
  task.release();
  task.resolve(output);
}

/** Does nothing for a task that is settled. */
export function fail(task: ExecutorTask, error: unknown): void {
  if (task.isSettled) return;
  task.isSettled = true;
  task.release();
  task.reject(error);
}

/** Lets the next process read the rows of a task one by one, within the time that is left. */
export function saveMemory(task: ExecutorTask, leftMs: number): void {
  task.request = { ...task.request, savesMemory: true };
  task.leftMs = leftMs;
}
