// A server process for tests, of both eras, whose tool asks the model what it is given to ask, and tells the reply.
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
