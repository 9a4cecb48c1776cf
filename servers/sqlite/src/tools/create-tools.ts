import type { ToolDefinition } from '@signalbox/mcp-core/server';
import type { Confirmations } from '@signalbox/server-kit';
import type { Databases } from '../databases.ts';
import type { SqliteLimits } from '../limits.ts';
import { alterSchemaTool } from './alter-schema.ts';
import { chartQueryTool } from './chart-query.ts';
import { createTableTool } from './create-table.ts';
import { describeTableTool } from './describe-table.ts';
import { executeBatchTool } from './execute-batch.ts';
import { explainQueryTool } from './explain-query.ts';
import { listTablesTool } from './list-tables.ts';
import { predictTrendTool } from './predict-trend.ts';
import { QueryCursors } from './query-cursors.ts';
import { readQueryTool } from './read-query.ts';
import { writeQueryTool } from './write-query.ts';

export interface CreateToolsOptions {
  readonly databases: Databases;
  readonly confirmations: Confirmations;
  readonly limits: SqliteLimits;
  /** Leaves out every tool that changes something. */
  readonly readOnly: boolean;
  /** Keys that sign cursors, the current key first; default a random key. */
  readonly stateKeys?: readonly string[] | undefined;
}

const MAX_STATEMENTS = 1000;
/** Bytes of the result that each statement of a batch may use at least. */
const BYTES_PER_STATEMENT = 1024;

export function createTools({
  databases,
  confirmations,
  limits,
  readOnly,
  stateKeys,
}: CreateToolsOptions): readonly ToolDefinition[] {
  const maxStatements = Math.min(
    MAX_STATEMENTS,
    Math.floor(limits.maxResultBytes / BYTES_PER_STATEMENT),
  );
  const writing = { databases, confirmations, maxStatements };
  return [
    readQueryTool(databases, { maxRows: limits.maxRows, cursors: new QueryCursors(stateKeys) }),
    listTablesTool(databases),
    describeTableTool(databases),
    explainQueryTool(databases),
    chartQueryTool(databases),
    predictTrendTool(databases),
    writeQueryTool(writing),
    createTableTool(writing),
    alterSchemaTool(writing),
    executeBatchTool(writing),
  ].filter((tool) => !readOnly || tool.annotations?.readOnlyHint === true);
}
