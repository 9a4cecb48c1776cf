import type { OperationContext } from './operation.ts';

/**
 * Runs `work` in one write transaction. Commits when it resolves, and rolls back when it fails or
 * the commit fails. Announces the commit to the server.
 * @throws SqliteError with SQLITE_BUSY when another process holds the lock longer than the busy timeout
 */
export async function inTransaction<Result>(
  { database, stream, checkFile }: OperationContext,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = await work();
    checkFile();
    stream.committing();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    // A full disk or an I/O error has ended the transaction already.
    if (database.inTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
