import type { CreateMessageResult, ElicitResult } from '@signalbox/mcp-core';
import { defineTool } from '@signalbox/mcp-core/server';
import { READ_ONLY } from './annotations.ts';
import { textResult } from './text-result.ts';

const NO_ARGUMENTS = { type: 'object', properties: {} } as const;

export const INPUT_TOOLS = [
  defineTool({
    name: 'test_sampling',
    description: 'Asks the model of the client',
    inputSchema: {
      type: 'object',
      properties: { prompt: { type: 'string' } },
      required: ['prompt'],
    },
    annotations: READ_ONLY,
    handler: async ({ prompt }, context) => {
      const answer = await context.sample('answer', {
        messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
        maxTokens: 100,
      });
      return textResult(`LLM response: ${textOf(answer)}`);
    },
  }),
  defineTool({
    name: 'test_missing_capability',
    description: 'Needs the model of the client',
    inputSchema: NO_ARGUMENTS,
    annotations: READ_ONLY,
    handler: async (_args, context) => {
      const answer = await context.sample('answer', {
        messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }],
        maxTokens: 100,
      });
      return textResult(textOf(answer));
    },
  }),
  defineTool({
    name: 'test_elicitation',
    description: 'Asks for a name and an address',
    inputSchema: {
      type: 'object',
      properties: { message: { type: 'string' } },
      required: ['message'],
    },
    annotations: READ_ONLY,
    handler: async ({ message }, context) => {
      const answer = await context.elicit('contact', {
        message,
        requestedSchema: {
          type: 'object',
          properties: {
            username: { type: 'string', description: "User's response" },
            email: { type: 'string', description: "User's email address" },
          },
          required: ['username', 'email'],
        },
      });
      return textResult(`User response: ${told(answer)}`);
    },
  }),
  defineTool({
    name: 'test_streaming_elicitation',
    description: 'Asks for a name',
    inputSchema: NO_ARGUMENTS,
    annotations: READ_ONLY,
    handler: async (_args, context) => {
      const answer = await context.elicit('name', {
        message: 'What is your name?',
        requestedSchema: {
          type: 'object',
          properties: { name: { type: 'string' } },
          required: ['name'],
        },
      });
      return textResult(told(answer));
    },
  }),
  defineTool({
    name: 'test_elicitation_sep1034_defaults',
    description: 'Asks with a default for every type',
    inputSchema: NO_ARGUMENTS,
    annotations: READ_ONLY,
    handler: async (_args, context) => {
      const answer = await context.elicit('profile', {
        message: 'Please review your profile',
        requestedSchema: {
          type: 'object',
          properties: {
            name: { type: 'string', default: 'John Doe' },
            age: { type: 'integer', default: 30 },
            score: { type: 'number', default: 95.5 },
            status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
            verified: { type: 'boolean', default: true },
          },
        },
      });
      return textResult(`Elicitation completed: ${told(answer)}`);
    },
  }),
  defineTool({
    name: 'test_elicitation_sep1330_enums',
    description: 'Asks with every form of choice',
    inputSchema: NO_ARGUMENTS,
    annotations: READ_ONLY,
    handler: async (_args, context) => {
      const answer = await context.elicit('choices', {
        message: 'Please choose',
        requestedSchema: { type: 'object', properties: CHOICES },
      });
      return textResult(`Elicitation completed: ${told(answer)}`);
    },
  }),
];

const CHOICES = {
  untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
  titledSingle: {
    type: 'string',
    oneOf: [
      { const: 'value1', title: 'First Option' },
      { const: 'value2', title: 'Second Option' },
      { const: 'value3', title: 'Third Option' },
    ],
  },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: {
    type: 'array',
    items: { type: 'string', enum: ['option1', 'option2', 'option3'] },
  },
  titledMulti: {
    type: 'array',
    items: {
      anyOf: [
        { const: 'value1', title: 'First Choice' },
        { const: 'value2', title: 'Second Choice' },
        { const: 'value3', title: 'Third Choice' },
      ],
    },
  },
};

function told({ action, content }: ElicitResult): string {
  return `action=${action}, content=${JSON.stringify(content ?? {})}`;
}

function textOf({ content }: CreateMessageResult): string {
  const blocks = 'type' in content ? [content] : content;
  return blocks.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
}
