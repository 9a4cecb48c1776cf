// A server and a client of @signalbox/mcp-core in one process of Node, Deno or Bun. The server is served by the runtime's own HTTP server. Prints one line of JSON.
import { connectClient } from '@signalbox/mcp-core/client';
import { httpTransport } from '@signalbox/mcp-core/http/client';
import { protectedResource } from '@signalbox/mcp-core/http/protected-resource';
import { createHttpHandler } from '@signalbox/mcp-core/http/server';
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

/** Serves web requests with the HTTP server of the runtime; in Node, `handle` serves requests of `node:http`. */
async function serve(fetch, handle) {
  if ('Bun' in globalThis) {
    const listener = globalThis.Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      idleTimeout: 0,
      fetch,
    });
    return [listener.port, () => listener.stop(true)];
  }
  if ('Deno' in globalThis) {
    const listener = globalThis.Deno.serve(
      { port: 0, hostname: '127.0.0.1', onListen: () => {} },
      fetch,
    );
    return [listener.addr.port, () => listener.shutdown()];
  }
  const { createServer: createListener } = await import('node:http');
  const listener = createListener(handle);
  await new Promise((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return [listener.address().port, () => listener.close()];
}

const toBase64Url = (text) =>
  btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

/** Returns the statuses of requests without a token, with one of the issuer, and with another one. */
async function protectedStatuses() {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const { kty, crv, x, y } = await crypto.subtle.exportKey('jwk', keys.publicKey);
  let issuer;
  const documentAt = (path) =>
    JSON.stringify(
      path === '/jwks' ? { keys: [{ kty, crv, x, y }] } : { issuer, jwks_uri: `${issuer}/jwks` },
    );
  const [issuerPort, stopIssuer] = await serve(
    (request) => new Response(documentAt(new URL(request.url).pathname)),
    (request, response) => response.end(documentAt(request.url)),
  );
  issuer = `http://127.0.0.1:${issuerPort}`;
  const resource = 'https://greeter.example/mcp';
  const token = async (aud) => {
    const exp = Math.floor(Date.now() / 1000) + 60;
    const text = [{ alg: 'ES256' }, { iss: issuer, aud, sub: 'ada', exp }]
      .map((part) => toBase64Url(JSON.stringify(part)))
      .join('.');
    const bytes = new TextEncoder().encode(text);
    const signature = new Uint8Array(await crypto.subtle.sign(algorithm, keys.privateKey, bytes));
    return `${text}.${toBase64Url(String.fromCharCode(...signature))}`;
  };
  const guarded = createHttpHandler(server, {
    access: { authenticate: protectedResource({ issuer, resource }) },
    sessions: false,
  });
  const [port, stop] = await serve(
    (request) => guarded.fetch(request),
    (request, response) => guarded.handle(request, response),
  );
  const statusOf = async (authorization) => {
    const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...(authorization === undefined ? {} : { authorization }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    });
    await response.text();
    return response.status;
  };
  const statuses = [
    await statusOf(),
    await statusOf(`Bearer ${await token(resource)}`),
    await statusOf(`Bearer ${await token('https://other.example')}`),
  ];
  await guarded.close();
  await stop();
  await stopIssuer();
  return statuses;
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

const [port, stop] = await serve(
  (request) => handler.fetch(request),
  (request, response) => handler.handle(request, response),
);
const results = [await use(port, 'legacy'), await use(port, 'modern')];
const statuses = await protectedStatuses();
await handler.close();
await stop();
console.log(JSON.stringify({ results, statuses, stats: handler.stats() }));
