import { setImmediate as nextTurn } from 'node:timers/promises';
import { createServer, defineTool } from '@signalbox/mcp-core/server';
import { fillers, inputSchema } from '../catalog.mjs';

const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  inputSchema: {
    type: 'object',
    properties: { text: { type: 'string', description: 'What to say.' } },
    required: ['text'],
  },
  annotations,
  handler: ({ text }) => ({ content: [{ type: 'text', text }] }),
});

const flood = defineTool({
  name: 'flood',
  description: 'Reports progress step by step.',
  inputSchema: {
    type: 'object',
    properties: {
      notifications: {
        type: 'integer',
        minimum: 0,
        maximum: 1_000_000,
        description: 'How many steps.',
      },
    },
    required: ['notifications'],
  },
  annotations,
  handler: async ({ notifications }, context) => {
    for (let progress = 1; progress <= notifications; progress += 1) {
      context.progress({ progress, total: notifications });
      // A handler that never lets go is taken for one with a slow reader: beyond 256 updates that wait, newer ones replace older ones.
      if (progress % 128 === 0) await nextTurn();
    }
    return { content: [{ type: 'text', text: 'done' }] };
  },
});

/** @param {number} tools */
export function makeServer(tools) {
  const others = fillers(tools).map(({ name, description, fields }) =>
    defineTool({
      name,
      description,
      inputSchema: inputSchema(fields),
      annotations,
      handler: () => ({ content: [] }),
    }),
  );
  return createServer({
    info: { name: 'signalbox', version: '1.0.0' },
    tools: [echo, flood, ...others],
    settings: { limits: { progressIntervalMs: 0 } },
  });
}
