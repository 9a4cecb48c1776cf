import { executeStatements } from './execute-statements.ts';
import type { OperationHandlers } from './operation.ts';
import type { WriteOperations } from './protocol.ts';

/** The operations of the writing process. */
export const WRITE_OPERATIONS: OperationHandlers<WriteOperations> = {
  'execute-statements': executeStatements,
  'import-rows': async (input, context) => {
    const { importRows } = await import('./import/import-rows.ts');
    return importRows(input, context);
  },
  recover: (_, { database }) => {
    // The first read of a writable connection rolls back the journal of a killed process.
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return null;
  },
};
