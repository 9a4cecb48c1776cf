import type { Database } from 'better-sqlite3';
import type { OperationContext } from '../executor/operation.ts';
import type { Handlers } from '../executor/serve-requests.ts';
import { WRITE_OPERATIONS } from '../executor/write-operations.ts';

/**
 * Returns the operations of a writing process whose page cache holds ten pages. `prepare` changes
 * the connection before each operation.
 */
export function crashHandlers(prepare: (database: Database) => void = () => undefined): Handlers {
  // The parent sends an operation with the input of its entry.
  const operations = WRITE_OPERATIONS as unknown as Handlers;
  const wrapped = Object.entries(operations).map(([name, handle]) => [
    name,
    (input: unknown, context: OperationContext) => {
      context.database.pragma('cache_size = 10');
      prepare(context.database);
      return handle(input, context);
    },
  ]);
  return Object.fromEntries(wrapped) as Handlers;
}
