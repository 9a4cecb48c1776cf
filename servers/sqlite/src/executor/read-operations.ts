import { countRows } from './count-rows.ts';
import { databaseVersion } from './database-version.ts';
import { describeTable } from './describe-table.ts';
import { explainQuery } from './explain-query.ts';
import { exportRows } from './export/export-rows.ts';
import { listTables } from './list-tables.ts';
import type { OperationHandlers } from './operation.ts';
import type { ReadOperations } from './protocol.ts';
import { readPage } from './read-page.ts';
import { readQuery } from './read-query.ts';
import { readTable } from './read-table.ts';
import { schemaSql } from './schema-sql.ts';
import { tableNames } from './table-names.ts';

/** The operations of a reading process. */
export const READ_OPERATIONS: OperationHandlers<ReadOperations> = {
  'read-query': (input, { database, configuration, readWhole }) =>
    readQuery(database, input, configuration, readWhole),
  'read-page': readPage,
  'list-tables': (input, { database, configuration }) =>
    listTables(database, input, configuration.maxResultBytes),
  'describe-table': ({ name }, { database, configuration }) =>
    describeTable(database, name, configuration),
  'explain-query': (input, { database, configuration }) =>
    explainQuery(database, input, configuration),
  'schema-sql': ({ maxBytes }, { database }) => schemaSql(database, maxBytes),
  'table-names': (_input, { database }) => tableNames(database),
  'read-table': ({ name }, { database, configuration }) =>
    readTable(database, name, configuration) ?? null,
  'database-version': (_input, { database }) => databaseVersion(database),
  'export-rows': exportRows,
  'count-rows': ({ table }, { database }) => countRows(database, table) ?? null,
};
