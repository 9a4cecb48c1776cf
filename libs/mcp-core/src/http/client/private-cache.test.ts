import { describe, expect, onTestFinished, test } from 'vitest';
import type { Client } from '../../client/client.ts';
import type { ClientOptions } from '../../client/client-options.ts';
import { connectClient } from '../../client/connect-client.ts';
import { httpTransport, type HttpTransportOptions } from './http-transport.ts';
import { answerJson, scriptedServer, type Arrival } from './scripted-http-server.test.support.ts';

const HOUR_MS = 3_600_000;
const discovered = {
  supportedVersions: ['2026-07-28'],
  capabilities: { resources: {} },
  serverInfo: { name: 's', version: '1' },
  ttlMs: 0,
  cacheScope: 'public',
};

/** Returns the resource that a user reads: its text is the `Authorization` header of the request. */
function contentsFor(arrival: Arrival, cacheScope: string): object {
  const text = arrival.headers.authorization ?? 'nobody';
  return { contents: [{ uri: 'a:1', text }], ttlMs: HOUR_MS, cacheScope };
}

interface Opened {
  readonly client: Client;
  readonly read: () => Promise<unknown>;
  /** Number of requests that read the resource. */
  readonly reads: () => number;
}

async function open(
  http: Partial<HttpTransportOptions>,
  {
    cacheScope = 'private',
    refuses = () => false,
    ...options
  }: Partial<ClientOptions> & {
    readonly cacheScope?: string;
    readonly refuses?: (arrival: Arrival) => boolean;
  } = {},
): Promise<Opened> {
  const server = await scriptedServer((arrival) => {
    const isRead = arrival.headers['mcp-method'] === 'resources/read';
    if (isRead && refuses(arrival)) arrival.response.writeHead(401).end();
    else
      answerJson(arrival, {
        resultType: 'complete',
        ...(isRead ? contentsFor(arrival, cacheScope) : discovered),
      });
  });
  const client = await connectClient(() => httpTransport({ url: server.url, ...http }), {
    info: { name: 't', version: '0' },
    era: 'modern',
    ...options,
  });
  onTestFinished(() => client.close());
  return {
    client,
    read: async () => {
      const [contents] = await client.readResource('a:1');
      return contents !== undefined && 'text' in contents ? contents.text : undefined;
    },
    reads: () =>
      server.arrivals.filter(({ headers }) => headers['mcp-method'] === 'resources/read').length,
  };
}

describe('a private result of an HTTP server', () => {
  test.each([
    ['synchronous headers', (token: string) => ({ Authorization: token })],
    ['asynchronous headers', (token: string) => Promise.resolve({ Authorization: token })],
    ['an API key', (token: string) => ({ Authorization: 'x', 'X-API-Key': token })],
  ])('is not reused with other credentials in %s', async (name, headersOf) => {
    let token = 'ann';
    const { read, reads } = await open({ headers: () => headersOf(token) });
    await read();
    await read();
    expect(reads()).toBe(1);
    token = 'bob';
    expect(await read()).toBe(name === 'an API key' ? 'x' : 'bob');
    expect(reads()).toBe(2);
    token = 'ann';
    await read();
    expect(reads()).toBe(2);
  });

  test('is not reused after the authorization got another token', async () => {
    let token = 'ann';
    const { read, reads } = await open({
      authorization: {
        // A proof differs for each request of the same token.
        headers: () => ({ Authorization: token, DPoP: crypto.randomUUID() }),
        refused: () => Promise.resolve(false),
      },
    });
    expect([await read(), await read()]).toEqual(['ann', 'ann']);
    expect(reads()).toBe(1);
    token = 'bob';
    expect(await read()).toBe('bob');
  });

  test('belongs to the credentials with which the server answered', async () => {
    let token = 'ann';
    const { read, reads } = await open(
      {
        headers: () => ({ Authorization: token }),
        onUnauthorized: () => {
          token = 'bob';
          return Promise.resolve(true);
        },
      },
      { refuses: ({ headers }) => headers.authorization === 'ann' && token === 'ann' },
    );
    expect(await read()).toBe('bob');
    expect(await read()).toBe('bob');
    expect(reads()).toBe(2);
    token = 'carl';
    expect(await read()).toBe('carl');
  });

  test('is reused with fields that trace a request', async () => {
    const { read, reads } = await open({
      headers: () => ({ Authorization: 'ann', traceparent: crypto.randomUUID() }),
    });
    await read();
    await read();
    expect(reads()).toBe(1);
  });

  test('is not reused when the headers cannot be obtained', async () => {
    let isFailing = false;
    const { read } = await open({
      headers: () => {
        if (isFailing) throw new Error('no token');
        return { Authorization: 'ann' };
      },
    });
    await read();
    isFailing = true;
    await expect(read()).rejects.toThrow('The headers of a message could not be obtained.');
  });

  test('is reused in the authorization context that the host names', async () => {
    let token = 'ann 1';
    const { read, reads } = await open(
      { headers: () => ({ Authorization: token }) },
      { cache: { authorization: () => 'ann' } },
    );
    await read();
    token = 'ann 2';
    expect(await read()).toBe('ann 1');
    expect(reads()).toBe(1);
  });
});

test('a public result of an HTTP server is reused with other credentials', async () => {
  let token = 'ann';
  const { read, reads } = await open(
    { headers: () => ({ Authorization: token }) },
    { cacheScope: 'public' },
  );
  await read();
  token = 'bob';
  await read();
  expect(reads()).toBe(1);
});
