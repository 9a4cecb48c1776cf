import { defineTool, type ToolDefinition } from '@signalbox/mcp-core/server';
import { compactJson } from '../executor/compact-json.ts';
import { databaseArgument } from './database-argument.ts';
import { PARAMS_SCHEMA, QUERY_SCHEMA } from './query-arguments.ts';
import { changeFields, confirmationFields } from './result-schemas.ts';
import { runWrite, type WriteTools } from './run-write.ts';

/** Returns the tool that runs one statement that changes rows. */
export function writeQueryTool(tools: WriteTools): ToolDefinition {
  return defineTool({
    name: 'write_query',
    title: 'Write query',
    description:
      'Runs one INSERT, UPDATE, DELETE or REPLACE, also after WITH or with RETURNING, in a transaction. Pass values through params. An UPDATE or DELETE of all rows is confirmed: when given a confirmToken, ask the user and call again with it.',
    inputSchema: {
      type: 'object',
      properties: {
        query: QUERY_SCHEMA,
        params: PARAMS_SCHEMA,
        database: databaseArgument(tools.databases),
        confirmToken: { type: 'string' },
      },
      required: ['query'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: { ...changeFields, ...confirmationFields },
    },
    annotations: {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: false,
    },
    handler: async ({ query, params, database, confirmToken }, context) => {
      const [structuredContent = {}] = await runWrite(tools, context, {
        tool: 'write_query',
        database,
        statements: [params === undefined ? { query } : { query, params }],
        kinds: ['rows'],
        isBatch: false,
        confirmToken,
      });
      return { structuredContent, content: compactJson(structuredContent) };
    },
  });
}
