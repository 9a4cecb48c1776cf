import { defineTool, type ToolDefinition } from '@signalbox/mcp-core/server';
import { compactJson } from '../executor/compact-json.ts';
import type { ReadQueryInput } from '../executor/protocol.ts';
import type { Databases } from '../databases.ts';
import { databaseArgument } from './database-argument.ts';
import { PARAMS_SCHEMA, QUERY_SCHEMA } from './query-arguments.ts';
import { withQueryProgress } from './query-progress.ts';
import { columnsSchema, rowsSchema } from './result-schemas.ts';

interface ReadQueryArguments extends ReadQueryInput {
  readonly database?: string;
}

const DESCRIPTION = `Runs one reading SQL statement on the SQLite database: SELECT, WITH … SELECT, VALUES, EXPLAIN [QUERY PLAN], or a reading PRAGMA such as table_info(t).
Each row is an array in the order of columns. Pass values through params, never inside the SQL. When truncated is true more rows exist: add LIMIT and OFFSET.
Integers outside ±2^53 are decimal strings (column type int64); a BLOB is {"$blob": base64, "bytes": n}; a cut text is {"$text", "bytes", "truncated"}.`;

/**
 * Returns the tool that runs a query and returns up to `maxRows` rows; the query process limits time,
 * memory and size.
 */
export function readQueryTool(databases: Databases, maxRows: number): ToolDefinition {
  return defineTool({
    name: 'read_query',
    title: 'Read query',
    description: DESCRIPTION,
    inputSchema: {
      type: 'object',
      properties: {
        query: QUERY_SCHEMA,
        params: {
          ...PARAMS_SCHEMA,
          description:
            'Array for ? and ?1, object for :name. Values: null, string, number, boolean, {"$int64": "digits"}, {"$blob": "base64"}',
        },
        database: databaseArgument(databases),
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: maxRows,
          description: `Most rows to return; default ${maxRows}`,
        },
      },
      required: ['query'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        columns: columnsSchema,
        rows: rowsSchema,
        rowCount: { type: 'integer' },
        truncated: { type: 'boolean' },
        elapsedMs: { type: 'integer' },
      },
      required: ['columns', 'rows', 'rowCount', 'truncated', 'elapsedMs'],
      additionalProperties: false,
    },
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    handler: async ({ database, ...input }: ReadQueryArguments, context) => {
      const structuredContent = await withQueryProgress(
        context,
        databases.get(database).readers.run('read-query', input, context.signal),
      );
      return { structuredContent, content: compactJson(structuredContent) };
    },
  });
}
