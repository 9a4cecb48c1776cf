import { McpServerV1, z } from '../../../tests/peers/src/sdk-v1-server-api.mjs';
import { echo, fillers, flood } from '../catalog.mjs';
import { zodShape } from './zod-shape.mjs';

/** @param {number} tools */
export function makeServer(tools) {
  const server = new McpServerV1({ name: 'sdk-v1', version: '1.0.0' });
  server.registerTool(
    'echo',
    { description: echo.description, inputSchema: { text: z.string().describe('What to say.') } },
    ({ text }) => ({
      content: [{ type: 'text', text }],
    }),
  );
  const inputSchema = {
    notifications: z.number().int().min(0).max(1_000_000).describe('How many steps.'),
  };
  server.registerTool(
    'flood',
    { description: flood.description, inputSchema },
    async ({ notifications }, extra) => {
      const { _meta: meta } = extra;
      const progressToken = meta?.progressToken ?? 0;
      for (let progress = 1; progress <= notifications; progress += 1) {
        await extra.sendNotification({
          method: 'notifications/progress',
          params: { progressToken, progress, total: notifications },
        });
      }
      return { content: [{ type: 'text', text: 'done' }] };
    },
  );
  for (const filler of fillers(tools)) {
    server.registerTool(
      filler.name,
      { description: filler.description, inputSchema: zodShape(z, filler.fields) },
      () => ({ content: [] }),
    );
  }
  return server;
}
