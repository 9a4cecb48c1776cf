import { setTimeout as delay } from 'node:timers/promises';
import { ErrorCode, ProtocolError, ToolError, type ElicitFormParams } from '@signalbox/mcp-core';
import { defineTool } from '@signalbox/mcp-core/server';
import { READ_ONLY } from './annotations.ts';
import { textResult } from './text-result.ts';

const NO_ARGUMENTS = { type: 'object', properties: {} } as const;
const JOB_MS = 1000;

export const TASK_TOOLS = [
  defineTool({
    name: 'greet',
    description: 'Greets at once',
    inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    annotations: READ_ONLY,
    handler: ({ name }) => textResult(`Hello, ${name}!`),
  }),
  defineTool({
    name: 'slow_compute',
    description: 'Computes for some seconds, as a task where there are any',
    inputSchema: {
      type: 'object',
      properties: { seconds: { type: 'number', minimum: 0 }, label: { type: 'string' } },
      required: ['seconds'],
    },
    annotations: READ_ONLY,
    task: 'optional',
    handler: async ({ seconds, label }, context) => {
      if (seconds > 0) await context.startTask();
      await delay(seconds * 1000, undefined, { signal: context.signal });
      return textResult(`Computed ${label ?? 'it'} in ${String(seconds)} seconds.`);
    },
  }),
  defineTool({
    name: 'failing_job',
    description: 'A task whose tool fails',
    inputSchema: NO_ARGUMENTS,
    annotations: READ_ONLY,
    task: 'required',
    handler: async (_args, context) => {
      await context.startTask();
      await delay(JOB_MS, undefined, { signal: context.signal });
      throw new ToolError('The job has failed');
    },
  }),
  defineTool({
    name: 'protocol_error_job',
    description: 'A task that ends with an error of the protocol',
    inputSchema: NO_ARGUMENTS,
    annotations: READ_ONLY,
    task: 'required',
    handler: async (_args, context) => {
      await context.startTask();
      throw new ProtocolError(ErrorCode.internalError, 'The job has crashed');
    },
  }),
  defineTool({
    name: 'confirm_delete',
    description: 'A task that asks once',
    inputSchema: {
      type: 'object',
      properties: { filename: { type: 'string' } },
      required: ['filename'],
    },
    annotations: { ...READ_ONLY, readOnlyHint: false, destructiveHint: true },
    task: 'required',
    handler: async ({ filename }, context) => {
      await context.startTask();
      const { action, content } = await context.elicit('confirm', confirm(`Delete ${filename}?`));
      return textResult(
        action === 'accept' && content?.['confirm'] === true
          ? `${filename} is deleted.`
          : `${filename} is kept.`,
      );
    },
  }),
  defineTool({
    name: 'multi_input',
    description: 'A task that sends two input requests at once',
    inputSchema: NO_ARGUMENTS,
    annotations: READ_ONLY,
    task: 'required',
    handler: async (_args, context) => {
      await context.startTask();
      const answers = await context.gather({
        first: { elicit: confirm('The first?') },
        second: { elicit: confirm('The second?') },
      });
      return textResult(JSON.stringify(answers));
    },
  }),
  defineTool({
    name: 'test_tool_with_task',
    description: 'Asks for a name and goes on as a task',
    inputSchema: NO_ARGUMENTS,
    annotations: READ_ONLY,
    task: 'required',
    handler: async (_args, context) => {
      const { content } = await context.elicit('user_name', {
        message: 'What is your name?',
        requestedSchema: {
          type: 'object',
          properties: { name: { type: 'string' } },
          required: ['name'],
        },
      });
      await context.startTask();
      return textResult(`Hello, ${String(content?.['name'] ?? 'nobody')}!`);
    },
  }),
];

function confirm(message: string): ElicitFormParams {
  return {
    message,
    requestedSchema: {
      type: 'object',
      properties: { confirm: { type: 'boolean' } },
      required: ['confirm'],
    },
  };
}
