// node held-server.mjs PORT: a server over stdio whose tool `echo` ends when it is cancelled. It writes a line to the port when a call begins and when it is cancelled.
import { connect } from 'node:net';
import { createServer, defineTool } from '@signalbox/mcp-core/server';
import { serveStdio } from '@signalbox/mcp-core/stdio';

const observer = connect(Number(process.argv[2]), '127.0.0.1').setNoDelay(true);

const echo = defineTool({
  name: 'echo',
  description: 'Waits until it is cancelled.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  annotations: { readOnlyHint: true },
  handler: async (_input, { signal }) => {
    observer.write('begun\n');
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    observer.write('cancelled\n');
    return { content: [] };
  },
});

await serveStdio(createServer({ info: { name: 'held', version: '1.0.0' }, tools: [echo] }));
