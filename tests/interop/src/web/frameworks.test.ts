import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connectClient } from '@signalbox/mcp-core/client';
import { httpTransport } from '@signalbox/mcp-core/http/client';
import { createHttpHandler, type HttpHandler } from '@signalbox/mcp-core/http/server';
import { fastify } from 'fastify';
import { describe, expect, onTestFinished, test } from 'vitest';
import { express } from '../../../peers/src/express.ts';
import { ClientV1, HttpClientTransportV1 } from '../../../peers/src/sdk-v1-clients.ts';
import { ClientV2, HttpClientTransportV2 } from '../../../peers/src/sdk-v2-clients.ts';
import { echoServer } from './echo-server.ts';

type Framework = (handler: HttpHandler) => Promise<string>;

const behindExpress: Framework = async (handler) => {
  const app = express();
  app.use(express.json());
  app.all('/mcp', (request, response) => handler.handle(request, response, { body: request.body }));
  return listen(app);
};

const behindFastify: Framework = async (handler) => {
  const app = fastify({ forceCloseConnections: true });
  app.all('/mcp', (request, reply) => {
    reply.hijack();
    handler.handle(request.raw, reply.raw, { body: request.body });
  });
  onTestFinished(() => app.close());
  return `${await app.listen({ host: '127.0.0.1', port: 0 })}/mcp`;
};

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/mcp`;
}

const info = { name: 'host', version: '1.0.0' };
const repeated = { content: [{ type: 'text', text: 'hello' }] };
const call = { name: 'echo', arguments: { text: 'hello' } };

describe.each([
  ['express', behindExpress],
  ['fastify', behindFastify],
])('behind %s, which has read the body', (_name, framework) => {
  async function open(): Promise<string> {
    const handler = createHttpHandler(echoServer());
    onTestFinished(() => handler.close());
    return framework(handler);
  }

  test.each(['legacy', 'modern'] as const)('our client calls a tool (%s)', async (era) => {
    const url = await open();
    const client = await connectClient(() => httpTransport({ url }), { info, era });
    const progress: number[] = [];
    const result = await client.callTool(call.name, call.arguments, {
      onProgress: (each) => progress.push(each.progress),
    });
    expect(result).toMatchObject(repeated);
    expect(progress).toEqual([1]);
    await client.close();
  });

  test('the client of SDK v1 calls a tool and ends its session', async () => {
    const client = new ClientV1(info, { capabilities: {} });
    const transport = new HttpClientTransportV1(new URL(await open()));
    await client.connect(transport);
    expect(await client.callTool(call)).toMatchObject(repeated);
    await transport.terminateSession();
    expect(transport.sessionId).toBeUndefined();
    await client.close();
  });

  test('the client of SDK v2 calls a tool in the modern era', async () => {
    const client = new ClientV2(info, { capabilities: {}, versionNegotiation: { mode: 'auto' } });
    await client.connect(new HttpClientTransportV2(new URL(await open())));
    expect(client.getProtocolEra()).toBe('modern');
    expect(await client.callTool(call)).toMatchObject(repeated);
    await client.close();
  });
});
