import { createServer, defineTool } from '@signalbox/mcp-core/server';
import { serveStdio } from '@signalbox/mcp-core/stdio';

/** A server of both eras, run as a process by tests: it counts how often it was called. */
let total = 0;

const count = defineTool({
  name: 'count',
  description: 'Adds to the total of this process.',
  inputSchema: { type: 'object', properties: { by: { type: 'integer' } }, required: ['by'], additionalProperties: false },
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  handler: ({ by }, context) => {
    context.progress({ progress: 1 });
    total += by;
    return { structuredContent: { total } };
  },
});

await serveStdio(createServer({ info: { name: 'core', version: '1' }, instructions: 'Count.', tools: [count] }));
