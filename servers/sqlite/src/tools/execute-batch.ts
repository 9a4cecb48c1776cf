import { defineTool, type ToolDefinition } from '@signalbox/mcp-core/server';
import { compactJson } from '../executor/compact-json.ts';
import { databaseArgument } from './database-argument.ts';
import { PARAMS_SCHEMA, QUERY_SCHEMA } from './query-arguments.ts';
import { confirmationFields } from './result-schemas.ts';
import { runWrite, type WriteTools } from './run-write.ts';

/** Returns the tool that runs several writing statements in one transaction. */
export function executeBatchTool(tools: WriteTools): ToolDefinition {
  return defineTool({
    name: 'execute_batch',
    title: 'Execute batch',
    description:
      'Runs statements of write_query, create_table and alter_schema in one transaction: all are applied or none. Destructive ones are confirmed together, as there.',
    inputSchema: {
      type: 'object',
      properties: {
        statements: {
          type: 'array',
          minItems: 1,
          maxItems: tools.maxStatements,
          items: {
            type: 'object',
            properties: { query: QUERY_SCHEMA, params: PARAMS_SCHEMA },
            required: ['query'],
            additionalProperties: false,
          },
        },
        database: databaseArgument(tools.databases),
        confirmToken: { type: 'string' },
      },
      required: ['statements'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        results: { type: 'array', description: 'One per statement, as of write_query' },
        ...confirmationFields,
      },
    },
    annotations: {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: false,
    },
    handler: async ({ statements, database, confirmToken }, context) => {
      const results = await runWrite(tools, context, {
        tool: 'execute_batch',
        database,
        statements,
        kinds: ['rows', 'table', 'schema'],
        isBatch: true,
        confirmToken,
      });
      const structuredContent = { results };
      return { structuredContent, content: compactJson(structuredContent) };
    },
  });
}
