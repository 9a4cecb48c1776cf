// A server in a process of its own: the first argument is the limits as JSON. Reports its port, and
// its memory after each message.
import { once } from 'node:events';
import { serveHttp } from '../../src/http/server/index.ts';
import { createServer } from '../../src/server/create-server.ts';
import type { CallToolResult } from '../../src/protocol/tools.ts';
import type { InteractiveContext } from '../../src/server/requests/request-context.ts';
import type { ToolDefinition } from '../../src/server/tools/tool.ts';
import { collectGarbage } from '../collect-garbage.ts';
import type { ServerLimits } from './memory-bound.ts';

type Run = (context: InteractiveContext) => CallToolResult | Promise<CallToolResult>;

const FORM = { type: 'object', properties: {} } as const;
const limits = JSON.parse(process.argv[2] ?? '{}') as ServerLimits;

const server = createServer({
  info: { name: 'besieged', version: '1.0.0' },
  tools: [
    tool('big', () => ({ content: [{ type: 'text', text: 'x'.repeat(4_000_000) }] })),
    tool('ask', async (context) => {
      await context.elicit('sure', { message: 'Sure?', requestedSchema: FORM });
      return { content: [] };
    }),
    {
      ...tool('job', async (context) => {
        await context.startTask();
        await context.elicit('sure', { message: 'Sure?', requestedSchema: FORM });
        return { content: [] };
      }),
      task: 'optional',
    },
  ],
  resources: {
    list: () => Promise.resolve({ resources: [] }),
    read: () => Promise.resolve({ contents: [] }),
    subscribe: () => Promise.resolve(() => undefined),
  },
  events: { onError: () => undefined },
});
const listener = await serveHttp(server, {
  limits: {
    maxConnections: limits.maxConnections,
    maxRequestBytes: limits.maxRequestBytes ?? Infinity,
    maxUnsentBytes: limits.maxUnsentBytes ?? Infinity,
  },
  sessions: { maxSessions: limits.maxSessions },
  onError: () => undefined,
});
process.on('message', () => {
  for (let count = 0; count < 20; count += 1) server.log('error', 'x'.repeat(1000));
  setTimeout(() => {
    collectGarbage();
    process.send?.({ bytes: process.memoryUsage.rss() });
  }, 200);
});
process.send?.({ port: listener.port });
await once(process, 'disconnect');
process.exit(0);

function tool(name: string, run: Run): ToolDefinition {
  return {
    name,
    description: name,
    inputSchema: { type: 'object' },
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    handler: (_args, context) => run(context),
  };
}
