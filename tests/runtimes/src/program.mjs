// A server and a client of @signalbox/mcp-core in one process of Node, Deno or Bun. The server is served by the runtime's own HTTP server. Prints one line of JSON.
import { connectClient } from '@signalbox/mcp-core/client';
import { httpTransport } from '@signalbox/mcp-core/http/client';
import { createHttpHandler, serveHttp } from '@signalbox/mcp-core/http/server';
import { createServer, defineTool } from '@signalbox/mcp-core/server';

let stopWaiting;
const greet = defineTool({
  name: 'greet',
  description: 'Greets a person who agreed.',
  inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  handler: async ({ name }, context) => {
    await context.progress({ progress: 1, total: 1 });
    const { action } = await context.elicit('sure', {
      message: 'Greet?',
      requestedSchema: { type: 'object', properties: {} },
    });
    return `${action}: hello ${name}`;
  },
});
const wait = defineTool({
  name: 'wait',
  description: 'Waits until the call is cancelled.',
  inputSchema: { type: 'object', properties: {} },
  handler: (_args, context) =>
    new Promise((_resolve, reject) => {
      context.signal.addEventListener('abort', () => {
        stopWaiting();
        reject(context.signal.reason);
      });
      void context.progress({ progress: 0 });
    }),
});
const server = createServer({ info: { name: 'greeter', version: '1.0.0' }, tools: [greet, wait] });
const handler = createHttpHandler(server);

/** Serves with the HTTP server of the runtime. */
async function serve() {
  if ('Bun' in globalThis) {
    const listener = globalThis.Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      idleTimeout: 0,
      fetch: (request) => handler.fetch(request),
    });
    return [listener.port, () => listener.stop(true)];
  }
  if ('Deno' in globalThis) {
    const listener = globalThis.Deno.serve(
      { port: 0, hostname: '127.0.0.1', onListen: () => {} },
      (request) => handler.fetch(request),
    );
    return [listener.addr.port, () => listener.shutdown()];
  }
  const listener = await serveHttp(server);
  return [listener.port, () => listener.close()];
}

async function use(port, era) {
  const client = await connectClient(() => httpTransport({ url: `http://127.0.0.1:${port}/mcp` }), {
    info: { name: 'host', version: '1.0.0' },
    era,
    handlers: { elicit: async () => ({ action: 'accept', content: {} }) },
  });
  const progress = [];
  const { content } = await client.callTool(
    'greet',
    { name: 'Ann' },
    { onProgress: (each) => progress.push(each.progress) },
  );
  const controller = new AbortController();
  const aborted = new Promise((resolve) => {
    stopWaiting = () => resolve('aborted');
  });
  const code = await client
    .callTool('wait', {}, { signal: controller.signal, onProgress: () => controller.abort() })
    .catch((error) => error.code);
  const tools = (await client.listTools()).map(({ name }) => name);
  const result = { era, tools, content, progress, code, handler: await aborted };
  await client.close();
  return result;
}

const [port, stop] = await serve();
const results = [await use(port, 'legacy'), await use(port, 'modern')];
await handler.close();
await stop();
console.log(JSON.stringify({ results, stats: handler.stats() }));
