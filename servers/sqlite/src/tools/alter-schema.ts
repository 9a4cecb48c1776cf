import { defineTool, type ToolDefinition } from '@signalbox/mcp-core/server';
import { compactJson } from '../executor/compact-json.ts';
import { databaseArgument } from './database-argument.ts';
import { QUERY_SCHEMA } from './query-arguments.ts';
import { confirmationFields, objectField } from './result-schemas.ts';
import { runWrite, type WriteTools } from './run-write.ts';

/** Returns the tool that changes the schema, except for new tables. */
export function alterSchemaTool(tools: WriteTools): ToolDefinition {
  return defineTool({
    name: 'alter_schema',
    title: 'Alter schema',
    description:
      'Runs one CREATE INDEX, CREATE VIEW, CREATE TRIGGER, ALTER TABLE or DROP. DROP is confirmed: when given a confirmToken, ask the user and call again with it.',
    inputSchema: {
      type: 'object',
      properties: {
        query: QUERY_SCHEMA,
        database: databaseArgument(tools.databases),
        confirmToken: { type: 'string' },
      },
      required: ['query'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: { ...objectField, ...confirmationFields },
    },
    annotations: {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: false,
    },
    handler: async ({ query, database, confirmToken }, context) => {
      const [structuredContent = {}] = await runWrite(tools, context, {
        tool: 'alter_schema',
        database,
        statements: [{ query }],
        kinds: ['schema'],
        isBatch: false,
        confirmToken,
      });
      return { structuredContent, content: compactJson(structuredContent) };
    },
  });
}
