import { setTimeout } from 'node:timers/promises';
import { createServer, defineTool } from '@signalbox/mcp-core/server';
import { serveStdio } from '@signalbox/mcp-core/stdio';

/**
 * Test server of both eras, run as a process. Counts its calls. START_MS is the time that it takes to start, in milliseconds; default 0.
 */
let total = 0;

const count = defineTool({
  name: 'count',
  description: 'Adds to the total of this process.',
  inputSchema: {
    type: 'object',
    properties: { by: { type: 'integer' } },
    required: ['by'],
    additionalProperties: false,
  },
  annotations: {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: false,
  },
  handler: ({ by }, context) => {
    context.progress({ progress: 1 });
    total += by;
    return { structuredContent: { total } };
  },
});

const roots = defineTool({
  name: 'roots',
  description: 'Tells the roots it is told.',
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  handler: async (_args, context) => ({
    structuredContent: { roots: (await context.listRoots()).map(({ uri }) => uri) },
  }),
});

await setTimeout(Number(process.env['START_MS'] ?? 0));
await serveStdio(
  createServer({
    info: { name: 'core', version: '1' },
    instructions: 'Count.',
    tools: [count, roots],
  }),
);
