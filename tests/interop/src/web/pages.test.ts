import { serveHttp, type HttpAccessOptions } from '@signalbox/mcp-core/http/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ClientV1, HttpClientTransportV1 } from '../../../peers/src/sdk-v1-clients.ts';
import { ClientV2, HttpClientTransportV2 } from '../../../peers/src/sdk-v2-clients.ts';
import { echoServer } from './echo-server.ts';
import { pageFetch } from './page-fetch.ts';

const PAGE = 'https://app.example';
const info = { name: 'page', version: '1.0.0' };
const repeated = { content: [{ type: 'text', text: 'hello' }] };
const call = { name: 'echo', arguments: { text: 'hello' } };

async function listen(access: HttpAccessOptions): Promise<URL> {
  const listener = await serveHttp(echoServer(), { access });
  onTestFinished(() => listener.close());
  return new URL(listener.url);
}

describe('a web page of an allowed origin', () => {
  const access = { allowedOrigins: [PAGE], bearerToken: 'secret' };
  const requestInit = { headers: { authorization: 'Bearer secret' } };

  test('uses a session with the client of SDK v1, and ends it', async () => {
    const { fetch, preflights } = pageFetch(PAGE);
    const transport = new HttpClientTransportV1(await listen(access), { fetch, requestInit });
    const client = new ClientV1(info, { capabilities: {} });
    await client.connect(transport);
    expect(transport.sessionId).toBeDefined();
    expect(await client.callTool(call)).toMatchObject(repeated);
    await transport.terminateSession();
    expect(preflights.length).toBeGreaterThan(3);
    await client.close();
  });

  test('calls a tool in the modern era with the client of SDK v2', async () => {
    const { fetch } = pageFetch(PAGE);
    const transport = new HttpClientTransportV2(await listen(access), { fetch, requestInit });
    const client = new ClientV2(info, { capabilities: {}, versionNegotiation: { mode: 'auto' } });
    await client.connect(transport);
    expect(client.getProtocolEra()).toBe('modern');
    expect(await client.callTool(call)).toMatchObject(repeated);
    await client.close();
  });
});

test('a web page of another origin is blocked by the browser', async () => {
  for (const origin of ['https://evil.example', 'http://localhost:8080']) {
    const { fetch } = pageFetch(origin);
    const transport = new HttpClientTransportV1(await listen({ allowedOrigins: [PAGE] }), {
      fetch,
    });
    const client = new ClientV1(info, { capabilities: {} });
    await expect(client.connect(transport)).rejects.toThrow('Blocked by CORS');
  }
});
