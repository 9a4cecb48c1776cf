// A server process for tests: node labeled-server.ts LABEL [FILE]. Its tools return the label; wait does when FILE exists.
import { existsSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { createServer, defineTool } from '@signalbox/mcp-core/server';
import { serveStdio } from '@signalbox/mcp-core/stdio';

const [, , label = '', file = ''] = process.argv;
const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const nothing = { type: 'object', properties: {}, additionalProperties: false } as const;
const text = (value: string) => ({ content: [{ type: 'text', text: value } as const] });

/** Resolves when the file exists. */
async function untilFile(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const watcher = watch(dirname(file), (_type, name) => {
    if (name === basename(file)) resolve();
  });
  if (existsSync(file)) resolve();
  await promise;
  watcher.close();
}

process.stderr.write(`${label} has the key ${process.env['LABEL_KEY'] ?? ''}\n`);
await serveStdio(
  createServer({
    info: { name: 'labeled', version: '1.0.0' },
    tools: [
      defineTool({
        name: 'label',
        description: 'Returns the label and the length of the key.',
        inputSchema: nothing,
        annotations,
        handler: () => text(`${label} ${process.env['LABEL_KEY']?.length ?? 0}`),
      }),
      defineTool({
        name: 'wait',
        description: 'Returns the label when the file exists.',
        inputSchema: nothing,
        annotations,
        async handler(_args, context) {
          context.progress({ progress: 1, total: 2 });
          await untilFile();
          return text(label);
        },
      }),
    ],
  }),
);
