import { connectClient } from '@signalbox/mcp-core/client';
import { createServer, defineTool } from '@signalbox/mcp-core/server';
import { openWebSocket } from './websocket-client.ts';
import { serveWebSocket } from './websocket-server.ts';

const greet = defineTool({
  name: 'greet',
  description: 'Greets the user by name, which it asks for.',
  inputSchema: { type: 'object', properties: {} },
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  handler: async (_args, context) => {
    const { content } = await context.elicit('name', {
      message: 'What is your name?',
      requestedSchema: {
        type: 'object',
        properties: { name: { type: 'string' } },
        required: ['name'],
      },
    });
    return { structuredContent: { greeting: `Hello, ${String(content?.name)}!` } };
  },
});

const server = createServer({ info: { name: 'greeter', version: '1.0.0' }, tools: [greet] });
const listener = await serveWebSocket(server);

for (const era of ['modern', 'legacy'] as const) {
  const client = await connectClient(() => openWebSocket(listener.url), {
    info: { name: 'host', version: '1.0.0' },
    era,
    handlers: { elicit: () => Promise.resolve({ action: 'accept', content: { name: 'Ada' } }) },
  });
  const { structuredContent } = await client.callTool('greet', {});
  process.stdout.write(`${client.server.protocolVersion}: ${JSON.stringify(structuredContent)}\n`);
  await client.close();
}

await listener.close();
