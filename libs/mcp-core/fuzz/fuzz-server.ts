import { setImmediate as nextTurn } from 'node:timers/promises';
import { createServer } from '../src/server/create-server.ts';
import type { Server } from '../src/server/server.ts';
import type { ToolDefinition } from '../src/server/tools/tool.ts';

/** Longest line that the fuzzed server accepts. */
export const MAX_LINE_BYTES = 256 * 1024;

const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Creates a server with badly behaved tools. */
export function fuzzServer(): Server {
  return createServer({
    info: { name: 'fuzzed', version: '1.0.0' },
    tools: [
      tool('echo', ({ value }) => ({
        content: [{ type: 'text', text: typeof value === 'string' ? value : 'no text' }],
      })),
      tool('mirror', (input) => ({ structuredContent: { input } })),
      tool('later', async (_input, context) => {
        context.progress({ progress: 1 });
        context.log('info', 'later');
        await nextTurn();
        return { content: [] };
      }),
      tool('fail', () => Promise.reject(new Error('as it should'))),
      tool('unwritable', () => ({ content: [], _meta: { n: 1n } })),
      tool('nothing', () => undefined as never),
    ],
    events: { onError: () => undefined },
  });
}

function tool(name: string, handler: ToolDefinition['handler']): ToolDefinition {
  return { name, description: name, inputSchema: { type: 'object' }, annotations, handler };
}
