// A server process for tests: node counting-server.ts STARTS. Each process appends its pid to the file STARTS.
import { appendFileSync, readFileSync } from 'node:fs';
import { createServer, defineTool } from '@signalbox/mcp-core/server';
import { serveStdio } from '@signalbox/mcp-core/stdio';

const starts = process.argv[2] ?? '';
const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const nothing = { type: 'object', properties: {}, additionalProperties: false } as const;
const pid = () => ({ content: [{ type: 'text', text: `${process.pid}` } as const] });

appendFileSync(starts, `${process.pid}\n`);
await serveStdio(
  createServer({
    info: { name: 'counting', version: '1.0.0' },
    tools: [
      defineTool({
        name: 'pid',
        description: 'Returns the id of the process.',
        inputSchema: nothing,
        annotations,
        handler: pid,
      }),
      defineTool({
        name: 'hold',
        description: 'Returns the id of the process, but never in the process that started first.',
        inputSchema: nothing,
        annotations,
        async handler(_args, context) {
          context.progress({ progress: 1, total: 2 });
          if (readFileSync(starts, 'utf8').startsWith(`${process.pid}\n`))
            await new Promise(() => undefined);
          return pid();
        },
      }),
    ],
  }),
);
