// A server of tests whose tools show what results, progress and questions look like: node show-server.ts
import { ToolError } from '@signalbox/mcp-core';
import { createServer, defineTool } from '@signalbox/mcp-core/server';
import { serveStdio } from '@signalbox/mcp-core/stdio';

const NOTHING = { type: 'object', properties: {}, additionalProperties: false } as const;
const READS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;
const text = (value: string) => ({ content: [{ type: 'text', text: value } as const] });

/** A PNG of one red pixel. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

/** Texts that try to be markup, commands of a terminal or another reading direction. */
const HOSTILE = [
  '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>',
  '\u001B[31mred\u001B[0m \u001B]0;owned\u0007',
  'file\u202Egnp.exe',
  '\u0000\u0008',
].join('\n');

await serveStdio(
  createServer({
    info: { name: 'show', version: '1.0.0' },
    tools: [
      defineTool({
        name: 'hostile_text',
        description: 'Returns texts that try to be markup, commands or another direction.',
        inputSchema: NOTHING,
        annotations: READS,
        handler: () => text(HOSTILE),
      }),
      defineTool({
        name: 'long_text',
        description: 'Returns a text of one megabyte.',
        inputSchema: NOTHING,
        annotations: READS,
        handler: () => text('0123456789 abcdef\n'.repeat(58_255)),
      }),
      defineTool({
        name: 'steps',
        description: 'Reports progress until it is cancelled.',
        inputSchema: NOTHING,
        annotations: READS,
        async handler(_args, context) {
          context.progress({ progress: 1, total: 4, message: 'one of four' });
          await new Promise((resolve) => {
            context.signal.addEventListener('abort', resolve);
          });
          return text('cancelled');
        },
      }),
      defineTool({
        name: 'write',
        description: 'Writes a line, after an approval.',
        inputSchema: {
          type: 'object',
          properties: { line: { type: 'string', description: 'Line to write' } },
          required: ['line'],
          additionalProperties: false,
        },
        annotations: { ...READS, readOnlyHint: false, idempotentHint: false },
        handler: ({ line }) => text(`wrote ${line}`),
      }),
      defineTool({
        name: 'greet',
        description: 'Asks for a name.',
        inputSchema: NOTHING,
        annotations: READS,
        async handler(_args, context) {
          const answer = await context.elicit('name', {
            message: 'What is your name?',
            requestedSchema: {
              type: 'object',
              properties: { name: { type: 'string' } },
              required: ['name'],
              additionalProperties: false,
            },
          });
          return text(`hello ${String(answer.content?.['name'] ?? 'nobody')}`);
        },
      }),
      defineTool({
        name: 'picture',
        description: 'Returns an image of one red pixel.',
        inputSchema: NOTHING,
        annotations: READS,
        handler: () => ({ content: [{ type: 'image', data: PIXEL, mimeType: 'image/png' }] }),
      }),
      defineTool({
        name: 'edit',
        description: 'Returns the difference of an edit.',
        inputSchema: NOTHING,
        annotations: READS,
        handler: () =>
          text('```diff\n--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n```\n'),
      }),
      defineTool({
        name: 'refuse',
        description: 'Fails with a reason.',
        inputSchema: NOTHING,
        annotations: READS,
        handler() {
          throw new ToolError('the stock is empty; order first');
        },
      }),
    ],
  }),
);
