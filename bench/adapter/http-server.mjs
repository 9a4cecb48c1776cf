import { createServer } from 'node:http';
import { createHttpHandler } from '@signalbox/mcp-core/http/server';
import { makeServer } from './make-server.mjs';

const handler = createHttpHandler(makeServer(), {
  path: '/mcp',
  sessions: process.env['BENCH_MODE'] === 'legacy-stateless' ? false : { eventStore: false },
});

const listener = createServer((request, response) => {
  if (request.url === '/__mem') answerMemory(response);
  else handler.handle(request, response);
});
listener.listen(0, '127.0.0.1', () => {
  const address = listener.address();
  if (typeof address === 'object') process.stdout.write(`PORT ${String(address?.port)}\n`);
});

/** The heap after a collection; needs --expose-gc. @param {import('node:http').ServerResponse} response */
function answerMemory(response) {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external, arrayBuffers, rss } = process.memoryUsage();
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ heapUsed, external: external + arrayBuffers, rss }));
}
