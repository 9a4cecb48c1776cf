import { defineTool, type ToolDefinition } from '@signalbox/mcp-core/server';
import { drawChart } from '@signalbox/server-kit/chart';
import { chartData } from '../chart/chart-data.ts';
import { compactJson } from '../executor/compact-json.ts';
import type { Databases } from '../databases.ts';
import { databaseArgument } from './database-argument.ts';
import { PARAMS_SCHEMA, QUERY_SCHEMA } from './query-arguments.ts';
import { withQueryProgress } from './query-progress.ts';
import { READ_ONLY_HINTS } from './read-only-hints.ts';

/** Returns the tool that draws the result of a query. */
export function chartQueryTool(databases: Databases): ToolDefinition {
  return defineTool({
    name: 'chart_query',
    title: 'Chart query',
    description:
      'Draws the result of a reading query as a bar or line chart (SVG image) and returns the numbers. NULL leaves a gap.',
    inputSchema: {
      type: 'object',
      properties: {
        query: QUERY_SCHEMA,
        params: PARAMS_SCHEMA,
        database: databaseArgument(databases),
        type: { enum: ['bar', 'line'], description: 'Default bar' },
        x: { type: 'string', description: 'Column; default the first' },
        y: {
          type: 'array',
          items: { type: 'string' },
          minItems: 1,
          description: 'Columns; default all numbers',
        },
        series: { type: 'string', description: 'Column whose values split y into series' },
        title: { type: 'string', maxLength: 200 },
      },
      required: ['query'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        x: { type: 'string' },
        labels: { type: 'array' },
        series: {
          type: 'array',
          items: {
            type: 'object',
            properties: { name: { type: 'string' }, values: { type: 'array' } },
          },
        },
        truncated: { type: 'boolean' },
      },
      required: ['x', 'labels', 'series', 'truncated'],
    },
    annotations: READ_ONLY_HINTS,
    handler: async ({ query, params, database, type = 'bar', title, ...columns }, context) => {
      const input = { query, ...(params === undefined ? {} : { params }) };
      const result = await withQueryProgress(
        context,
        databases.get(database).readers.run('read-query', input, context.signal),
      );
      const data = chartData(result, columns);
      const structuredContent = { ...data, truncated: result.truncated };
      const svg = drawChart(data, { type, title });
      return {
        structuredContent,
        content: [
          { type: 'text', text: compactJson(structuredContent) },
          {
            type: 'image',
            data: Buffer.from(svg).toString('base64'),
            mimeType: 'image/svg+xml',
            annotations: { audience: ['user'] },
          },
        ],
      };
    },
  });
}
