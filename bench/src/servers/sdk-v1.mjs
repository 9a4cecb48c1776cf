import { McpServerV1, StdioServerTransportV1, z } from '../../../tests/peers/src/sdk-v1-server-api.mjs';
import { echo, fillers } from '../catalog.mjs';
import { zodShape } from './zod-shape.mjs';

const server = new McpServerV1({ name: 'sdk-v1', version: '1.0.0' });
server.registerTool('echo', { description: echo.description, inputSchema: { text: z.string().describe('What to say.') } }, ({ text }) => ({
  content: [{ type: 'text', text }],
}));
for (const { name, description, fields } of fillers) {
  server.registerTool(name, { description, inputSchema: zodShape(z, fields) }, () => ({ content: [] }));
}
await server.connect(new StdioServerTransportV1());
