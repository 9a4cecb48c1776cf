import { serveHttp } from '@signalbox/mcp-core/http/server';
import { createServer, defineMethod } from '@signalbox/mcp-core/server';
import { expect, onTestFinished, test } from 'vitest';
import { ClientV1, HttpClientTransportV1 } from '../../peers/src/sdk-v1-clients.ts';
import { ClientV2, HttpClientTransportV2 } from '../../peers/src/sdk-v2-clients.ts';
import { z } from '../../peers/src/zod.ts';

const info = { name: 'host', version: '1.0.0' };
const request = { method: 'acme/search', params: { query: 'x' } };
const found = z.object({ found: z.array(z.string()) });

/** Serves a custom method and records the methods that its middleware sees. */
async function serveSearch(): Promise<{ readonly url: URL; readonly methods: readonly string[] }> {
  const methods: string[] = [];
  const server = createServer({
    info: { name: 'search', version: '1.0.0' },
    extensions: {
      middleware: [
        ({ method }, next) => {
          methods.push(method);
          return next();
        },
      ],
      methods: {
        'acme/search': defineMethod({
          params: z.object({ query: z.string() }),
          handler: ({ query }) => ({ found: [query] }),
        }),
      },
    },
  });
  const listener = await serveHttp(server);
  onTestFinished(() => listener.close());
  return { url: new URL(listener.url), methods };
}

test('the client of SDK v1 requests a custom method', async () => {
  const { url, methods } = await serveSearch();
  const client = new ClientV1(info, { capabilities: {} });
  onTestFinished(() => client.close());
  await client.connect(new HttpClientTransportV1(url));
  expect(await client.request(request, found)).toMatchObject({ found: ['x'] });
  await expect(client.request({ ...request, params: {} }, found)).rejects.toThrow('-32602');
  expect(methods).toEqual(['initialize', 'acme/search', 'acme/search']);
});

test('the client of SDK v2 requests a custom method in the modern era', async () => {
  const { url, methods } = await serveSearch();
  const client = new ClientV2(info, {
    capabilities: {},
    versionNegotiation: { mode: { pin: '2026-07-28' } },
  });
  onTestFinished(() => client.close());
  await client.connect(new HttpClientTransportV2(url));
  expect(await client.request(request, found)).toMatchObject({ found: ['x'] });
  expect(methods).toEqual(['server/discover', 'acme/search']);
});
