// A server on the official SDK v1, over stdio. Its tool samples its argument and returns the result
// or the error.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const server = new McpServer({ name: 'sdk-v1-sampling', version: '1.0.0' });

type Params = Parameters<typeof server.server.createMessage>[0];

server.registerTool(
  'sample',
  { description: 'Asks the model.', inputSchema: { params: z.string() } },
  async ({ params }) => {
    try {
      // Any value that a test passes; the client must reject invalid ones.
      const reply = await server.server.createMessage(JSON.parse(params) as Params);
      return { content: [{ type: 'text', text: JSON.stringify(reply) }] };
    } catch (error) {
      return {
        isError: true,
        content: [{ type: 'text', text: error instanceof Error ? error.message : String(error) }],
      };
    }
  },
);

await server.connect(new StdioServerTransport());
