import { defineTool, type ToolDefinition } from '@signalbox/mcp-core/server';
import { compactJson } from '../executor/compact-json.ts';
import type { Databases } from '../databases.ts';
import { databaseArgument } from './database-argument.ts';
import { columnsSchema } from './result-schemas.ts';

/** Returns the tool that lists the tables. */
export function listTablesTool(databases: Databases): ToolDefinition {
  return defineTool({
    name: 'list_tables',
    title: 'List tables',
    description:
      'Lists the tables of the SQLite database with their columns and declared types, sorted by name; views too when asked for.',
    inputSchema: {
      type: 'object',
      properties: {
        includeViews: { type: 'boolean' },
        pattern: {
          type: 'string',
          description: '* is any text, ? any character',
        },
        cursor: {
          type: 'string',
          description: 'nextCursor of an earlier result',
        },
        database: databaseArgument(databases),
      },
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        tables: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              name: { type: 'string' },
              type: { enum: ['table', 'view', 'virtual'] },
              rowEstimate: { type: 'number', description: 'Exact up to 1000' },
              columns: columnsSchema,
              error: { type: 'string', description: 'Why the columns cannot be listed' },
            },
            required: ['name', 'type', 'columns'],
          },
        },
        truncated: { type: 'boolean' },
        nextCursor: { type: 'string' },
      },
      required: ['tables', 'truncated'],
    },
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    handler: async ({ includeViews = false, pattern, cursor, database }, context) => {
      const input = {
        includeViews,
        ...(pattern === undefined ? {} : { pattern }),
        ...(cursor === undefined ? {} : { after: cursor }),
      };
      const structuredContent = await databases
        .get(database)
        .readers.run('list-tables', input, context.signal);
      return { structuredContent, content: compactJson(structuredContent) };
    },
  });
}
