import { defineTool, type ToolDefinition } from '@signalbox/mcp-core/server';
import type { Insights } from '../resources/insights.ts';

/** Returns the tool that adds to the memo; `onAppended` is called after each insight. */
export function appendInsightTool(insights: Insights, onAppended: () => void): ToolDefinition {
  return defineTool({
    name: 'append_insight',
    title: 'Append insight',
    description:
      'Adds an insight from the data to the memo, the resource memo://insights. The memo lasts as long as the server runs; the database is not changed.',
    inputSchema: {
      type: 'object',
      properties: { insight: { type: 'string', minLength: 1, maxLength: 10_000 } },
      required: ['insight'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: { count: { type: 'integer', description: 'Insights in the memo' } },
      required: ['count'],
    },
    annotations: {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: false,
    },
    handler: ({ insight }) => {
      const count = insights.append(insight);
      onAppended();
      return { structuredContent: { count }, content: 'Insight added to memo' };
    },
  });
}
