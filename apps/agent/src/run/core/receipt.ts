import type { Receipt } from '../../ports/run-engine.ts';
import type { Change } from './commits.ts';

/** Lets the caller store something with the effect, when the rows and events of it are written. */
export function storeReceipt<T>(
  { sql, beforeCommit }: Change,
  receipt: Receipt<T> | undefined,
  result: () => Promise<T>,
): void {
  if (receipt !== undefined) beforeCommit(async () => receipt(sql, await result()));
}
