// A server process for tests whose tools change while they are used, and one of which asks the model without end.
import { createServer, defineTool, type ToolDefinition } from '@signalbox/mcp-core/server';
import { serveStdio } from '@signalbox/mcp-core/stdio';

const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const inputSchema = { type: 'object', properties: {}, additionalProperties: false } as const;
const text = (value: string) => ({ content: [{ type: 'text', text: value } as const] });

const stays = defineTool({
  name: 'stays',
  description: 'Is always there.',
  inputSchema,
  annotations,
  handler: () => text('still here'),
});
const leaves = defineTool({
  name: 'leaves',
  description: 'Goes after the first change.',
  inputSchema,
  annotations,
  handler: () => text('here for now'),
});
const comes = defineTool({
  name: 'comes',
  description: 'Comes with the first change.',
  inputSchema,
  annotations,
  handler: () => text('new here'),
});

const passing = defineTool({
  name: 'passing',
  description: 'Comes and goes.',
  inputSchema,
  annotations,
  handler: () => text('here now and then'),
});
/** Odd, so that the last one leaves what the first one brought. */
const CHANGES = 301;

const change = defineTool({
  name: 'change',
  description: 'Changes the tools, and goes on changing them.',
  inputSchema,
  annotations,
  handler() {
    let changes = 0;
    const next = (): void => {
      changes += 1;
      server.setTools(changes % 2 === 1 ? [...always, comes] : [...always, comes, passing]);
      if (changes < CHANGES) setImmediate(next);
    };
    next();
    return text('changed');
  },
});

const ponder = defineTool({
  name: 'ponder',
  description: 'Asks the model until it gets no answer; tells how often it got one.',
  inputSchema,
  annotations,
  async handler(_args, context) {
    for (let asked = 0; ; asked += 1) {
      const isAnswered = await context
        .sample(`thought ${asked}`, {
          messages: [{ role: 'user', content: { type: 'text', text: 'What is six times seven?' } }],
          maxTokens: 100,
        })
        .then(() => true)
        .catch((error: unknown) => {
          // A modern question that is still open ends this visit of the handler.
          if (context.signal.aborted) throw error;
          return false;
        });
      if (!isAnswered) return text(`answered ${asked} times`);
    }
  },
});

const always: readonly ToolDefinition[] = [stays, change, ponder];
const server = createServer({
  info: { name: 'restless', version: '1.0.0' },
  tools: [...always, leaves],
});
await serveStdio(server);
