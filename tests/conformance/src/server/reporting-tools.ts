import { setTimeout as delay } from 'node:timers/promises';
import { defineTool } from '@signalbox/mcp-core/server';
import { READ_ONLY } from './annotations.ts';
import { textResult } from './text-result.ts';

const NO_ARGUMENTS = { type: 'object', properties: {} } as const;
const STEP_MS = 50;

export const REPORTING_TOOLS = [
  defineTool({
    name: 'test_tool_with_logging',
    description: 'Logs three times while it runs',
    inputSchema: NO_ARGUMENTS,
    annotations: READ_ONLY,
    handler: async (_args, context) => {
      context.log('info', 'Tool execution started');
      await delay(STEP_MS);
      context.log('info', 'Tool processing data');
      await delay(STEP_MS);
      context.log('info', 'Tool execution completed');
      return textResult('Logged three messages.');
    },
  }),
  defineTool({
    name: 'test_logging_tool',
    description: 'Logs once',
    inputSchema: NO_ARGUMENTS,
    annotations: READ_ONLY,
    handler: (_args, context) => {
      context.log('info', 'Tool executed');
      return textResult('Logged one message.');
    },
  }),
  defineTool({
    name: 'test_tool_with_progress',
    description: 'Reports its progress',
    inputSchema: NO_ARGUMENTS,
    annotations: READ_ONLY,
    handler: async (_args, context) => {
      context.progress({ progress: 0, total: 100 });
      await delay(STEP_MS);
      context.progress({ progress: 50, total: 100 });
      await delay(STEP_MS);
      context.progress({ progress: 100, total: 100 });
      return textResult('Reported three times.');
    },
  }),
  defineTool({
    name: 'test_reconnection',
    description: 'Closes its stream while it runs',
    inputSchema: NO_ARGUMENTS,
    annotations: READ_ONLY,
    handler: async (_args, context) => {
      context.closeStream();
      await delay(STEP_MS);
      return textResult('The stream was closed and taken up again.');
    },
  }),
];
