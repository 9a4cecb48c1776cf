// Test server of both eras, run as a process. Its tool sends a sampling request with the given text and returns the response.
import type { CreateMessageParams } from '@signalbox/mcp-core';
import { createServer, defineTool } from '@signalbox/mcp-core/server';
import { serveStdio } from '@signalbox/mcp-core/stdio';

const sample = defineTool({
  name: 'sample',
  description: 'Asks the model.',
  inputSchema: {
    type: 'object',
    properties: { params: { type: 'string' } },
    required: ['params'],
    additionalProperties: false,
  },
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  async handler({ params }, context) {
    // Whatever a test writes.
    return {
      content: [
        {
          type: 'text',
          text: JSON.stringify(
            await context.sample('question', JSON.parse(params) as CreateMessageParams),
          ),
        },
      ],
    };
  },
});

await serveStdio(createServer({ info: { name: 'sampling', version: '1.0.0' }, tools: [sample] }));
