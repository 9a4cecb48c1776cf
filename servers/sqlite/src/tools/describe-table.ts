import { defineTool, type ToolDefinition } from '@signalbox/mcp-core/server';
import { compactJson } from '../executor/compact-json.ts';
import type { Databases } from '../databases.ts';
import { databaseArgument } from './database-argument.ts';

const STRINGS = { type: 'array', items: { type: 'string' } } as const;
const STRING = { type: 'string' } as const;
const LIST = { type: 'array' } as const;
const BOOLEAN = { type: 'boolean' } as const;

/** Returns the tool that describes one table or view. */
export function describeTableTool(databases: Databases): ToolDefinition {
  return defineTool({
    name: 'describe_table',
    title: 'Describe table',
    description:
      'Describes a table or view of the SQLite database: columns, primary key, foreign keys, indexes, triggers and the SQL that created it.',
    inputSchema: {
      type: 'object',
      properties: {
        table_name: { type: 'string', description: 'Name as list_tables gives it' },
        database: databaseArgument(databases),
      },
      required: ['table_name'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        name: STRING,
        type: { enum: ['table', 'view', 'virtual', 'shadow'] },
        columns: listOf({
          name: STRING,
          type: STRING,
          notNull: BOOLEAN,
          default: { type: ['string', 'null'] },
          generated: BOOLEAN,
        }),
        primaryKey: STRINGS,
        foreignKeys: LIST,
        indexes: LIST,
        triggers: LIST,
        sql: STRING,
      },
      required: ['name', 'type', 'columns'],
    },
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    handler: async ({ table_name: name, database }, context) => {
      const structuredContent = await databases
        .get(database)
        .readers.run('describe-table', { name }, context.signal);
      return { structuredContent, content: compactJson(structuredContent) };
    },
  });
}

/** Returns the schema of an array of objects. */
function listOf(properties: { readonly [name: string]: unknown }): {
  readonly [keyword: string]: unknown;
} {
  return { type: 'array', items: { type: 'object', properties } };
}
