// A server process for tests: node asking-server.ts LEDGER. Its writes are visible as lines of the file LEDGER.
import { appendFileSync } from 'node:fs';
import { ToolError } from '@signalbox/mcp-core';
import { createServer, defineTool } from '@signalbox/mcp-core/server';
import { serveStdio } from '@signalbox/mcp-core/stdio';

const ledger = process.argv[2] ?? '';
const writes = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: false,
};
const reads = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const text = (value: string) => ({ content: [{ type: 'text', text: value } as const] });
const oneString = (name: string) =>
  ({
    type: 'object',
    properties: { [name]: { type: 'string' } },
    required: [name],
    additionalProperties: false,
  }) as const;

await serveStdio(
  createServer({
    info: { name: 'asking', version: '1.0.0' },
    tools: [
      defineTool({
        name: 'append_line',
        description: 'Appends a line to the ledger.',
        inputSchema: {
          type: 'object',
          properties: { text: { type: 'string' } },
          required: ['text'],
          additionalProperties: false,
        },
        annotations: writes,
        async handler(args, context) {
          appendFileSync(ledger, `${args.text}\n`);
          context.progress({ progress: 1, total: 2, message: 'written' });
          return text(`appended ${args.text}`);
        },
      }),
      defineTool({
        name: 'look',
        description: 'Reads; each look is counted in LEDGER.looks.',
        inputSchema: { type: 'object', properties: {}, additionalProperties: false },
        annotations: reads,
        handler(_args, context) {
          appendFileSync(`${ledger}.looks`, 'look\n');
          context.progress({ progress: 1, total: 2 });
          return text('seen');
        },
      }),
      defineTool({
        name: 'greet',
        description: 'Asks a person for a name.',
        inputSchema: { type: 'object', properties: {}, additionalProperties: false },
        annotations: reads,
        async handler(_args, context) {
          const answer = await context.elicit('name', {
            message: 'What is your name?',
            requestedSchema: oneString('name'),
          });
          return text(
            answer.action === 'accept'
              ? `hello ${String(answer.content?.['name'])}`
              : `no name: ${answer.action}`,
          );
        },
      }),
      defineTool({
        name: 'think',
        description: 'Asks the model.',
        inputSchema: { type: 'object', properties: {}, additionalProperties: false },
        annotations: reads,
        async handler(_args, context) {
          const reply = await context.sample('thought', {
            messages: [
              { role: 'user', content: { type: 'text', text: 'What is six times seven?' } },
            ],
            maxTokens: 100,
          });
          const [block] = [reply.content].flat();
          return text(
            `the model ${reply.model} says: ${block?.type === 'text' ? block.text : 'nothing'}`,
          );
        },
      }),
      defineTool({
        name: 'linger',
        description: 'Ends when it is cancelled.',
        inputSchema: { type: 'object', properties: {}, additionalProperties: false },
        annotations: reads,
        async handler(_args, context) {
          context.progress({ progress: 1, message: 'lingering' });
          await new Promise((resolve) => {
            context.signal.addEventListener('abort', resolve);
          });
          return text('lingered');
        },
      }),
      defineTool({
        name: 'explode',
        description: 'Throws.',
        inputSchema: { type: 'object', properties: {}, additionalProperties: false },
        annotations: reads,
        handler() {
          throw new Error('internal detail that nobody may see');
        },
      }),
      defineTool({
        name: 'refuse',
        description: 'Fails in a way that the model can act on.',
        inputSchema: { type: 'object', properties: {}, additionalProperties: false },
        annotations: reads,
        handler() {
          throw new ToolError('the stock is empty; order first');
        },
      }),
      defineTool({
        name: 'vanish',
        description: 'Ends the process.',
        inputSchema: { type: 'object', properties: {}, additionalProperties: false },
        annotations: reads,
        handler() {
          process.exit(7);
        },
      }),
    ],
  }),
);
