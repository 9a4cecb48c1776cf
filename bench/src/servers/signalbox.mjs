import { createServer, defineTool } from '@signalbox/mcp-core/server';
import { serveStdio } from '@signalbox/mcp-core/stdio';
import { fillers, inputSchema } from '../catalog.mjs';

const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  inputSchema: { type: 'object', properties: { text: { type: 'string', description: 'What to say.' } }, required: ['text'] },
  annotations,
  handler: ({ text }) => ({ content: [{ type: 'text', text }] }),
});

const others = fillers.map(({ name, description, fields }) =>
  defineTool({ name, description, inputSchema: inputSchema(fields), annotations, handler: () => ({ content: [] }) }),
);

await serveStdio(createServer({ info: { name: 'signalbox', version: '1.0.0' }, tools: [echo, ...others] }));
