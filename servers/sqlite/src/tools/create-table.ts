import { defineTool, type ToolDefinition } from '@signalbox/mcp-core/server';
import { compactJson } from '../executor/compact-json.ts';
import { databaseArgument } from './database-argument.ts';
import { QUERY_SCHEMA } from './query-arguments.ts';
import { runWrite, type WriteTools } from './run-write.ts';

/** Returns the tool that creates a table. */
export function createTableTool(tools: WriteTools): ToolDefinition {
  return defineTool({
    name: 'create_table',
    title: 'Create table',
    description:
      'Runs one CREATE TABLE or CREATE VIRTUAL TABLE (fts5, rtree and other built-in modules).',
    inputSchema: {
      type: 'object',
      properties: { query: QUERY_SCHEMA, database: databaseArgument(tools.databases) },
      required: ['query'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: { table: { type: 'string' } },
      required: ['table'],
    },
    annotations: {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: false,
    },
    handler: async ({ query, database }, context) => {
      const [result] = await runWrite(tools, context, {
        tool: 'create_table',
        database,
        statements: [{ query }],
        kinds: ['table'],
        isBatch: false,
        confirmToken: undefined,
      });
      const structuredContent = { table: result?.object?.name ?? '' };
      return { structuredContent, content: compactJson(structuredContent) };
    },
  });
}
