import { definePrompt } from '@signalbox/mcp-core/server';
import type { PromptMessage } from '@signalbox/mcp-core';
import { IMAGE } from './media.ts';

const CITIES = ['paris', 'park', 'party'];

export const PROMPTS = [
  definePrompt({
    name: 'test_simple_prompt',
    description: 'A prompt without arguments',
    handler: () => ({ messages: [said('This is a simple prompt for testing.')] }),
  }),
  definePrompt({
    name: 'test_prompt_with_arguments',
    description: 'A prompt with two arguments',
    arguments: [
      {
        name: 'arg1',
        description: 'First test argument',
        required: true,
        complete: (value) => CITIES.filter((city) => city.startsWith(value)),
      },
      { name: 'arg2', description: 'Second test argument', required: true },
    ],
    handler: ({ arg1, arg2 }) => ({
      messages: [said(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
    }),
  }),
  definePrompt({
    name: 'test_prompt_with_embedded_resource',
    description: 'A prompt with a resource in it',
    arguments: [{ name: 'resourceUri', description: 'URI of the resource', required: true }],
    handler: ({ resourceUri }) => ({
      messages: [
        {
          role: 'user',
          content: {
            type: 'resource',
            resource: {
              uri: resourceUri,
              mimeType: 'text/plain',
              text: 'Embedded resource content for testing.',
            },
          },
        },
        said('Please process the embedded resource above.'),
      ],
    }),
  }),
  definePrompt({
    name: 'test_prompt_with_image',
    description: 'A prompt with an image in it',
    handler: () => ({
      messages: [{ role: 'user', content: IMAGE }, said('Please analyze the image above.')],
    }),
  }),
  definePrompt({
    name: 'test_input_required_result_prompt',
    description: 'A prompt that asks for its context',
    handler: async (_args, context) => {
      const answer = await context.elicit('user_context', {
        message: 'What context should the prompt use?',
        requestedSchema: {
          type: 'object',
          properties: { context: { type: 'string' } },
          required: ['context'],
        },
      });
      return {
        messages: [said(`Use this context: ${String(answer.content?.['context'] ?? 'none')}`)],
      };
    },
  }),
];

function said(text: string): PromptMessage {
  return { role: 'user', content: { type: 'text', text } };
}
