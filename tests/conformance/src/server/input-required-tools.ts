import type { ElicitFormParams, ElicitResult } from '@signalbox/mcp-core';
import { defineTool, type InputRequest } from '@signalbox/mcp-core/server';
import { READ_ONLY } from './annotations.ts';
import { textResult } from './text-result.ts';

const NO_ARGUMENTS = { type: 'object', properties: {} } as const;

export const INPUT_REQUIRED_TOOLS = [
  defineTool({
    name: 'test_input_required_result_elicitation',
    description: 'Greets who it asked for a name',
    inputSchema: NO_ARGUMENTS,
    annotations: READ_ONLY,
    handler: async (_args, context) => {
      const answer = await context.elicit('user_name', ask('What is your name?', 'name'));
      return textResult(`Hello, ${given(answer, 'name')}!`);
    },
  }),
  defineTool({
    name: 'test_input_required_result_sampling',
    description: 'Asks the model of the client for a capital',
    inputSchema: NO_ARGUMENTS,
    annotations: READ_ONLY,
    handler: async (_args, context) => {
      const { content } = await context.sample('capital_question', {
        messages: [
          { role: 'user', content: { type: 'text', text: 'What is the capital of France?' } },
        ],
        maxTokens: 100,
      });
      return textResult(JSON.stringify(content));
    },
  }),
  defineTool({
    name: 'test_input_required_result_list_roots',
    description: 'Tells the roots of the client',
    inputSchema: NO_ARGUMENTS,
    annotations: READ_ONLY,
    handler: async (_args, context) => {
      const { client_roots: roots } = await context.gather({ client_roots: { listRoots: true } });
      return textResult(JSON.stringify(roots));
    },
  }),
  defineTool({
    name: 'test_input_required_result_request_state',
    description: 'Remembers something between two rounds',
    inputSchema: NO_ARGUMENTS,
    annotations: READ_ONLY,
    handler: async (_args, context) => {
      const started = await context.once('started', () => new Date().toISOString());
      await context.elicit('confirm', confirm('Please confirm'));
      return textResult(`state-ok since ${started}`);
    },
  }),
  defineTool({
    name: 'test_input_required_result_tampered_state',
    description: 'Remembers something between two rounds that nobody may change',
    inputSchema: NO_ARGUMENTS,
    annotations: READ_ONLY,
    handler: async (_args, context) => {
      const amount = await context.once('amount', () => 100);
      await context.elicit('confirm', confirm(`Pay ${amount}?`));
      return textResult(`Paid ${amount}.`);
    },
  }),
  defineTool({
    name: 'test_input_required_result_multiple_inputs',
    description: 'Asks for everything a client can be asked for',
    inputSchema: NO_ARGUMENTS,
    annotations: READ_ONLY,
    handler: async (_args, context) => {
      const started = await context.once('started', () => new Date().toISOString());
      const answers = await context.gather({
        user_name: NAME,
        greeting: GREETING,
        client_roots: { listRoots: true },
      });
      return textResult(JSON.stringify({ started, ...answers }));
    },
  }),
  defineTool({
    name: 'test_input_required_result_multi_round',
    description: 'Asks twice, one after the other',
    inputSchema: NO_ARGUMENTS,
    annotations: READ_ONLY,
    handler: async (_args, context) => {
      const started = await context.once('started', () => new Date().toISOString());
      const name = given(
        await context.elicit('step1', ask('Step 1: What is your name?', 'name')),
        'name',
      );
      const color = given(
        await context.elicit('step2', ask('Step 2: What is your favorite color?', 'color')),
        'color',
      );
      return textResult(`${name} likes ${color} since ${started}.`);
    },
  }),
  defineTool({
    name: 'test_input_required_result_capabilities',
    description: 'Asks only what the client can answer',
    inputSchema: NO_ARGUMENTS,
    annotations: READ_ONLY,
    handler: async (_args, context) => {
      const { client } = context;
      const answers = await context.gather({
        ...(client.can('elicitation.form') && { user_name: NAME }),
        ...(client.can('sampling') && { greeting: GREETING }),
        ...(client.can('roots') && { client_roots: { listRoots: true } }),
      });
      return textResult(JSON.stringify(answers));
    },
  }),
];

const NAME: InputRequest = { elicit: ask('What is your name?', 'name') };
const GREETING: InputRequest = {
  sample: {
    messages: [{ role: 'user', content: { type: 'text', text: 'Generate a greeting' } }],
    maxTokens: 50,
  },
};

function ask(message: string, property: string): ElicitFormParams {
  return {
    message,
    requestedSchema: {
      type: 'object',
      properties: { [property]: { type: 'string' } },
      required: [property],
    },
  };
}

function confirm(message: string): ElicitFormParams {
  return {
    message,
    requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
  };
}

function given({ action, content }: ElicitResult, property: string): string {
  return action === 'accept' ? String(content?.[property]) : 'nobody';
}
