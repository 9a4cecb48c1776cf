// A server process for tests: node telling-server.ts RECORD. Everything that it is sent is kept in the file RECORD.
import { appendFileSync } from 'node:fs';
import { createServer, defineTool } from '@signalbox/mcp-core/server';
import { serveStdio } from '@signalbox/mcp-core/stdio';

const [, , record = ''] = process.argv;
process.stdin.on('data', (chunk: Buffer) => appendFileSync(record, chunk));

const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const nothing = { type: 'object', properties: {}, additionalProperties: false } as const;
const json = (value: unknown) => ({
  content: [{ type: 'text', text: JSON.stringify(value) } as const],
});

await serveStdio(
  createServer({
    info: { name: 'telling', version: '1.0.0' },
    tools: [
      defineTool({
        name: 'environment',
        description: 'Tells the environment of the process.',
        inputSchema: nothing,
        annotations,
        handler: () => json(process.env),
      }),
      defineTool({
        name: 'roots',
        description: 'Tells the roots of the client.',
        inputSchema: nothing,
        annotations,
        async handler(_args, context) {
          const roots = await context.listRoots();
          return json(roots.map(({ uri }) => uri));
        },
      }),
      defineTool({
        name: 'visit',
        description: 'Sends a person to an address.',
        inputSchema: {
          type: 'object',
          properties: { url: { type: 'string' } },
          required: ['url'],
          additionalProperties: false,
        },
        annotations,
        async handler({ url }, context) {
          return json(
            await context.elicit('visit', { mode: 'url', message: 'Please sign in', url }),
          );
        },
      }),
      defineTool({
        name: 'repeat-it',
        description: 'Repeats.',
        inputSchema: {
          type: 'object',
          properties: { text: { type: 'string' } },
          required: ['text'],
          additionalProperties: false,
        },
        annotations,
        handler: ({ text }) => json({ repeated: text }),
      }),
    ],
  }),
);
