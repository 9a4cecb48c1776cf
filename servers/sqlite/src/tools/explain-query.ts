import { defineTool, type ToolDefinition } from '@signalbox/mcp-core/server';
import { compactJson } from '../executor/compact-json.ts';
import type { Databases } from '../databases.ts';
import { databaseArgument } from './database-argument.ts';
import { PARAMS_SCHEMA, QUERY_SCHEMA } from './query-arguments.ts';
import { withQueryProgress } from './query-progress.ts';
import { READ_ONLY_HINTS } from './read-only-hints.ts';

const NAMES = { type: 'array', items: { type: 'string' } } as const;

/** Returns the tool that shows the plan of a query. */
export function explainQueryTool(databases: Databases): ToolDefinition {
  return defineTool({
    name: 'explain_query',
    title: 'Explain query',
    description:
      'Shows how SQLite would run a reading statement, without running it: the plan as a tree, the indexes it uses and the tables it scans in full.',
    inputSchema: {
      type: 'object',
      properties: {
        query: QUERY_SCHEMA,
        params: PARAMS_SCHEMA,
        database: databaseArgument(databases),
      },
      required: ['query'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        plan: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              detail: { type: 'string' },
              steps: { type: 'array' },
            },
          },
        },
        usesIndex: NAMES,
        fullScans: { ...NAMES, description: 'Names or aliases as in the query' },
      },
      required: ['plan', 'usesIndex', 'fullScans'],
    },
    annotations: READ_ONLY_HINTS,
    handler: async ({ database, ...input }, context) => {
      const structuredContent = await withQueryProgress(
        context,
        databases.get(database).readers.run('explain-query', input, context.signal),
      );
      return { structuredContent, content: compactJson(structuredContent) };
    },
  });
}
