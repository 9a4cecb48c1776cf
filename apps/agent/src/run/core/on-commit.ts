import type { OnCommit } from '../../ports/run-engine.ts';
import type { Change } from './commits.ts';

/** Calls `onCommit` in the transaction, after the rows and events of the effect are written. */
export function runOnCommit<T>(
  { sql, beforeCommit }: Change,
  onCommit: OnCommit<T> | undefined,
  result: () => Promise<T>,
): void {
  if (onCommit !== undefined) beforeCommit(async () => onCommit(sql, await result()));
}
