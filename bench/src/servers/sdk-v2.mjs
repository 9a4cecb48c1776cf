import { McpServerV2, serveStdioV2, z } from '../../../tests/peers/src/sdk-v2-server-api.mjs';
import { echo, fillers } from '../catalog.mjs';
import { zodShape } from './zod-shape.mjs';

serveStdioV2(() => {
  const server = new McpServerV2({ name: 'sdk-v2', version: '1.0.0' });
  server.registerTool('echo', { description: echo.description, inputSchema: z.object({ text: z.string().describe('What to say.') }) }, ({ text }) => ({
    content: [{ type: 'text', text }],
  }));
  for (const { name, description, fields } of fillers) {
    server.registerTool(name, { description, inputSchema: z.object(zodShape(z, fields)) }, () => ({ content: [] }));
  }
  return server;
});
