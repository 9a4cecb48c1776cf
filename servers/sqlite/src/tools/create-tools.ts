import type { ToolDefinition } from '@signalbox/mcp-core/server';
import type { ConfirmationPolicy, Confirmations } from '@signalbox/server-kit';
import type { Databases } from '../databases.ts';
import type { OpenDataFolder } from '../files/data-folder.ts';
import type { SqliteLimits } from '../limits.ts';
import type { Insights } from '../resources/insights.ts';
import { alterSchemaTool } from './alter-schema.ts';
import { appendInsightTool } from './append-insight.ts';
import { askDatabaseTool } from './ask-database.ts';
import { chartQueryTool } from './chart-query.ts';
import { createTableTool } from './create-table.ts';
import { describeTableTool } from './describe-table.ts';
import { executeBatchTool } from './execute-batch.ts';
import { exportQueryTool } from './export-query.ts';
import { importDataTool } from './import-data.ts';
import { explainQueryTool } from './explain-query.ts';
import { listTablesTool } from './list-tables.ts';
import { predictTrendTool } from './predict-trend.ts';
import { QueryCursors } from './query-cursors.ts';
import { readQueryTool } from './read-query.ts';
import { writeQueryTool } from './write-query.ts';

export interface CreateToolsOptions {
  readonly databases: Databases;
  readonly confirmations: Confirmations;
  /** Policy of `confirmations`. */
  readonly confirm: ConfirmationPolicy;
  readonly insights: Insights;
  /** Called after each new insight. */
  readonly onInsight: () => void;
  readonly limits: SqliteLimits;
  /** Opens the directory of imported and exported files; without it file paths are refused. */
  readonly dataFolder: OpenDataFolder | undefined;
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
  confirm,
  insights,
  onInsight,
  limits,
  dataFolder,
  readOnly,
  stateKeys,
}: CreateToolsOptions): readonly ToolDefinition[] {
  const maxStatements = Math.min(
    MAX_STATEMENTS,
    Math.floor(limits.maxResultBytes / BYTES_PER_STATEMENT),
  );
  const writing = { databases, confirmations, maxStatements };
  const tools = [
    readQueryTool(databases, { maxRows: limits.maxRows, cursors: new QueryCursors(stateKeys) }),
    listTablesTool(databases),
    describeTableTool(databases),
    explainQueryTool(databases),
    chartQueryTool(databases),
    predictTrendTool(databases),
    askDatabaseTool({ databases, confirm, maxRows: limits.maxRows }),
    exportQueryTool({ databases, dataFolder, confirmations, readOnly }),
    writeQueryTool(writing),
    createTableTool(writing),
    alterSchemaTool(writing),
    executeBatchTool(writing),
    importDataTool({ databases, dataFolder }),
  ].filter((tool) => !readOnly || tool.annotations?.readOnlyHint === true);
  // The memo is not part of a database.
  return [...tools, appendInsightTool(insights, onInsight)];
}
