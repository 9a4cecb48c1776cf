import { countRows } from './count-rows.ts';
import { describeTable } from './describe-table.ts';
import { explainQuery } from './explain-query.ts';
import { listTables } from './list-tables.ts';
import type { OperationHandlers } from './operation.ts';
import type { ReadOperations } from './protocol.ts';
import { readPage } from './read-page.ts';
import { readQuery } from './read-query.ts';

/** The operations of a reading process. */
export const READ_OPERATIONS: OperationHandlers<ReadOperations> = {
  'read-query': (input, { database, configuration }) => readQuery(database, input, configuration),
  'read-page': readPage,
  'list-tables': (input, { database, configuration }) =>
    listTables(database, input, configuration.maxResultBytes),
  'describe-table': ({ name }, { database, configuration }) =>
    describeTable(database, name, configuration),
  'explain-query': (input, { database, configuration }) =>
    explainQuery(database, input, configuration),
  'count-rows': ({ table }, { database }) => countRows(database, table) ?? null,
};
