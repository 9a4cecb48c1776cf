import { createServer, defineTool, type Server } from '@signalbox/mcp-core/server';

const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Our server with a tool that reports progress and repeats its argument. */
export function echoServer(): Server {
  return createServer({
    info: { name: 'echo', version: '1.0.0' },
    tools: [
      defineTool({
        name: 'echo',
        description: 'Repeats a text.',
        annotations,
        inputSchema: {
          type: 'object',
          properties: { text: { type: 'string' } },
          required: ['text'],
        },
        handler: async ({ text }, context) => {
          await context.progress({ progress: 1 });
          return { content: [{ type: 'text', text }] };
        },
      }),
    ],
  });
}
