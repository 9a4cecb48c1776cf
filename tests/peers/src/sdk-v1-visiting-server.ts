// A server on the official SDK v1, over stdio. Its tool sends the user to a URL and reports the
// visit as complete before it responds.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';

const server = new McpServer({ name: 'sdk-v1-visiting', version: '1.0.0' });
const elicitationId = 'visit-1';

server.registerTool('visit', { description: 'Sends a person to a URL.' }, async () => {
  const { action } = await server.server.elicitInput({
    mode: 'url',
    elicitationId,
    message: 'Please sign in',
    url: 'https://example.org/',
  });
  await server.server.createElicitationCompletionNotifier(elicitationId)();
  return { content: [{ type: 'text', text: action }] };
});

await server.connect(new StdioServerTransport());
