import { ToolError } from '@signalbox/mcp-core';
import { defineTool } from '@signalbox/mcp-core/server';
import { READ_ONLY } from './annotations.ts';
import { AUDIO, IMAGE } from './media.ts';
import { textResult } from './text-result.ts';

const NO_ARGUMENTS = { type: 'object', properties: {} } as const;

export const CONTENT_TOOLS = [
  defineTool({
    // The referee tries headers with the first tool, which must therefore need no arguments.
    name: 'about',
    description: 'Tells what this server is for',
    inputSchema: NO_ARGUMENTS,
    annotations: READ_ONLY,
    handler: () => textResult('I am judged.'),
  }),
  defineTool({
    name: 'test_simple_text',
    description: 'Answers with text',
    inputSchema: NO_ARGUMENTS,
    annotations: READ_ONLY,
    handler: () => textResult('This is a simple text response for testing.'),
  }),
  defineTool({
    name: 'test_image_content',
    description: 'Answers with an image',
    inputSchema: NO_ARGUMENTS,
    annotations: READ_ONLY,
    handler: () => ({ content: [IMAGE] }),
  }),
  defineTool({
    name: 'test_audio_content',
    description: 'Answers with sound',
    inputSchema: NO_ARGUMENTS,
    annotations: READ_ONLY,
    handler: () => ({ content: [AUDIO] }),
  }),
  defineTool({
    name: 'test_embedded_resource',
    description: 'Answers with a resource',
    inputSchema: NO_ARGUMENTS,
    annotations: READ_ONLY,
    handler: () => ({
      content: [
        {
          type: 'resource',
          resource: {
            uri: 'test://embedded-resource',
            mimeType: 'text/plain',
            text: 'This is an embedded resource content.',
          },
        },
      ],
    }),
  }),
  defineTool({
    name: 'test_multiple_content_types',
    description: 'Answers with text, an image and a resource',
    inputSchema: NO_ARGUMENTS,
    annotations: READ_ONLY,
    handler: () => ({
      content: [
        { type: 'text', text: 'Multiple content types test:' },
        IMAGE,
        {
          type: 'resource',
          resource: {
            uri: 'test://mixed-content-resource',
            mimeType: 'application/json',
            text: '{"test":"data","value":123}',
          },
        },
      ],
    }),
  }),
  defineTool({
    name: 'test_error_handling',
    description: 'Fails',
    inputSchema: NO_ARGUMENTS,
    annotations: READ_ONLY,
    handler: () => {
      throw new ToolError('This tool intentionally returns an error for testing');
    },
  }),
];
