// A well-behaved server with one fast tool, configured beside the hostile servers.
import { createServer, defineTool } from '@signalbox/mcp-core/server';
import { serveStdio } from '@signalbox/mcp-core/stdio';

const echo = defineTool({
  name: 'echo',
  description: 'Returns its text.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  handler: ({ text }) => ({ content: [{ type: 'text', text }] }),
});

await serveStdio(createServer({ info: { name: 'calm', version: '1.0.0' }, tools: [echo] }));
