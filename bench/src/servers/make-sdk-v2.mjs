import { McpServerV2, z } from '../../../tests/peers/src/sdk-v2-server-api.mjs';
import { echo, fillers, flood } from '../catalog.mjs';
import { zodShape } from './zod-shape.mjs';

const echoSchema = z.object({ text: z.string().describe('What to say.') });
const floodSchema = z.object({
  notifications: z.number().int().min(0).max(1_000_000).describe('How many steps.'),
});
/** Created once, as in a user's module. @type {Map<string, ReturnType<typeof z.object>>} */
const fillerSchemas = new Map();

/** @param {number} tools */
export function makeServer(tools) {
  const server = new McpServerV2({ name: 'sdk-v2', version: '1.0.0' });
  server.registerTool(
    'echo',
    { description: echo.description, inputSchema: echoSchema },
    ({ text }) => ({ content: [{ type: 'text', text }] }),
  );
  server.registerTool(
    'flood',
    { description: flood.description, inputSchema: floodSchema },
    async ({ notifications }, { mcpReq }) => {
      const { _meta: meta } = mcpReq;
      const progressToken = meta?.progressToken ?? 0;
      for (let progress = 1; progress <= notifications; progress += 1) {
        await mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress, total: notifications },
        });
      }
      return { content: [{ type: 'text', text: 'done' }] };
    },
  );
  for (const { name, description, fields } of fillers(tools)) {
    const inputSchema = fillerSchemas.get(name) ?? z.object(zodShape(z, fields));
    fillerSchemas.set(name, inputSchema);
    server.registerTool(name, { description, inputSchema }, () => ({ content: [] }));
  }
  return server;
}
