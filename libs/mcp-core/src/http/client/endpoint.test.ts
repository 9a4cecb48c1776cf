import type { LookupFunction } from 'node:net';
import { describe, expect, it, test } from 'vitest';
import { httpTransport } from './http-transport.ts';
import {
  answerJson,
  handshake,
  modernRequest,
  openTransport,
  playHandshake,
  scriptedServer,
  until,
} from './scripted-http-server.test.support.ts';

describe('the URL of a server', () => {
  it.each(['ftp://a/', 'file:///mcp', 'a/b', '', 'ws://a/'])('%j is refused', (url) => {
    expect(() => httpTransport({ url })).toThrow(
      expect.objectContaining({ code: 'invalid-argument' }),
    );
  });

  it('must not contain credentials, and the error does not repeat them', () => {
    const open = (): unknown => httpTransport({ url: 'http://me:s3cret@localhost/' });
    expect(open).toThrow('credentials');
    expect(open).not.toThrow('s3cret');
  });

  it('keeps its path and query', async () => {
    const server = await scriptedServer((arrival) => answerJson(arrival));
    const { transport, messages } = await openTransport({
      url: `${server.url}/a%20b?x=1&y=2#part`,
    });
    await transport.send(modernRequest(1, 'tools/list'));
    await until(() => messages.length === 1);
    expect(server.arrivals[0]?.url).toBe('/mcp/a%20b?x=1&y=2');
    expect(`http://${server.arrivals[0]?.headers.host}/mcp`).toBe(server.url);
  });
});

describe('the resolver of the host', () => {
  it('answers for each connection to a name, and its refusal sends nothing', async () => {
    const server = await scriptedServer((arrival) => answerJson(arrival));
    const asked: string[] = [];
    let isAllowed = true;
    const lookup: LookupFunction = (name, { all }, callback) => {
      asked.push(name);
      if (!isAllowed) callback(new Error('not an address for this client'), '');
      else if (all === true) callback(null, [{ address: '127.0.0.1', family: 4 }]);
      else callback(null, '127.0.0.1', 4);
    };
    const { port } = new URL(server.url);
    const url = `http://mcp.example:${port}/mcp`;
    const allowed = await openTransport({ url, lookup });
    await allowed.transport.send(modernRequest(1, 'tools/list'));
    await until(() => allowed.messages.length === 1);
    expect([asked, server.arrivals.length]).toEqual([['mcp.example'], 1]);
    isAllowed = false;
    const refused = await openTransport({ url, lookup });
    await expect(refused.transport.send(modernRequest(2, 'tools/list'))).rejects.toMatchObject({
      code: 'connection-lost',
      sent: false,
      cause: { message: 'not an address for this client' },
    });
    expect(server.arrivals).toHaveLength(1);
  });
});

it('a connection that was unused for 4 s is closed, one that waits for a response is not', async () => {
  const server = await scriptedServer((arrival) => {
    if (arrival.body?.id === 1) setTimeout(() => answerJson(arrival), 4300);
    else answerJson(arrival);
  });
  const { transport, messages, failures } = await openTransport({ url: server.url });
  const slow = transport.send(modernRequest(1, 'tools/list'));
  await transport.send(modernRequest(2, 'tools/list'));
  await until(() => messages.length === 1);
  expect(server.openConnections()).toBe(2);
  await until(() => server.openConnections() === 1);
  await slow;
  await until(() => messages.length === 2);
  expect(failures).toEqual([]);
});

describe('headers of the host', () => {
  it.each(['Mcp-Session-Id', 'content-length', 'Host', 'MCP-Protocol-Version'])(
    'cannot be %s',
    (name) => {
      expect(() => httpTransport({ url: 'http://a/', headers: { [name]: 'x' } })).toThrow(
        `The transport sets the header ${name} itself; remove it.`,
      );
    },
  );

  it('are requested for each HTTP request of any kind', async () => {
    const asked: string[] = [];
    const server = await scriptedServer((arrival) => void playHandshake(arrival));
    const opened = await openTransport({
      url: server.url,
      headers: async ({ method, url }) => {
        asked.push(`${method} ${url}`);
        await Promise.resolve();
        return { Authorization: `Bearer ${asked.length}` };
      },
    });
    await handshake(opened);
    await until(() => server.arrivals.length === 3);
    await opened.transport.close();
    expect(asked).toEqual([
      `POST ${server.url}`,
      `POST ${server.url}`,
      `GET ${server.url}`,
      `DELETE ${server.url}`,
    ]);
    expect(server.arrivals.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer 1',
      'Bearer 2',
      'Bearer 3',
      'Bearer 4',
    ]);
  });

  it('that are unavailable leave the message unsent', async () => {
    const server = await scriptedServer((arrival) => answerJson(arrival));
    const problem = new Error('no token');
    const { transport, failures } = await openTransport({
      url: server.url,
      headers: () => Promise.reject(problem),
    });
    await expect(transport.send(modernRequest(1, 'tools/list'))).rejects.toMatchObject({
      code: 'invalid-argument',
      sent: false,
      cause: problem,
    });
    expect(failures).toEqual([]);
    expect(server.arrivals).toEqual([]);
  });
});

it('a request that is cancelled while its headers are pending is not sent', async () => {
  const asked = Promise.withResolvers<{ Authorization: string }>();
  const server = await scriptedServer((arrival) => answerJson(arrival));
  const { transport, messages } = await openTransport({
    url: server.url,
    headers: () => asked.promise,
  });
  const cancelled = transport.send(modernRequest(1, 'tools/call', { name: 'a' }));
  await transport.send({
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId: 1 },
  });
  asked.resolve({ Authorization: 'x' });
  await cancelled;
  await transport.send(modernRequest(2, 'tools/list'));
  await until(() => messages.length === 1);
  expect(server.arrivals.map(({ body }) => body?.id)).toEqual([2]);
});

test('the authorization gets each request with its body, and each DPoP nonce before a refusal', async () => {
  const seen: unknown[] = [];
  const server = await scriptedServer((arrival) => {
    arrival.response.setHeader('DPoP-Nonce', `nonce-${server.arrivals.length}`);
    if (server.arrivals.length === 1) arrival.response.writeHead(401).end();
    else answerJson(arrival);
  });
  const { transport, messages } = await openTransport({
    url: server.url,
    authorization: {
      headers: ({ method, url, server: endpoint, body }) => {
        seen.push([method, url, endpoint, JSON.parse(body ?? 'null')]);
        return { Authorization: 'DPoP a', DPoP: 'proof' };
      },
      dpopNonceReceived: (endpoint, nonce) => void seen.push([endpoint, nonce]),
      refused: ({ sent, status }) => {
        seen.push([sent, status]);
        return Promise.resolve(true);
      },
    },
  });
  await transport.send(modernRequest(1, 'tools/list'));
  await until(() => messages.length === 1);
  const request = ['POST', server.url, server.url, server.arrivals[0]?.body];
  expect(seen).toEqual([
    request,
    [server.url, 'nonce-1'],
    [{ Authorization: 'DPoP a', DPoP: 'proof' }, 401],
    request,
    [server.url, 'nonce-2'],
  ]);
  expect(server.arrivals[1]?.headers['dpop']).toBe('proof');
});

describe('a 401 or 403', () => {
  it.each([401, 403])(
    '%i is retried when the host has authorized, with new headers',
    async (status) => {
      let token = 'old';
      const seen: unknown[] = [];
      const server = await scriptedServer((arrival) => {
        if (arrival.headers.authorization === 'new') answerJson(arrival);
        else
          arrival.response
            .writeHead(status, { 'www-authenticate': 'Bearer scope="a"' })
            .end('denied');
      });
      const { transport, messages, failures } = await openTransport({
        url: server.url,
        headers: () => ({ Authorization: token }),
        onUnauthorized: async (response) => {
          seen.push([response.status, response.headers['www-authenticate']]);
          await Promise.resolve();
          token = 'new';
          return true;
        },
      });
      await transport.send(modernRequest(1, 'tools/list'));
      await until(() => messages.length === 1);
      expect(seen).toEqual([[status, 'Bearer scope="a"']]);
      expect(failures).toEqual([]);
      expect(server.arrivals).toHaveLength(2);
    },
  );

  it('is the end of the request when the host could not authorize', async () => {
    const server = await scriptedServer(({ response }) =>
      response.writeHead(401, { 'www-authenticate': 'Bearer' }).end('denied'),
    );
    const { transport, failures } = await openTransport({
      url: server.url,
      onUnauthorized: () => Promise.resolve(false),
    });
    await transport.send(modernRequest(1, 'tools/list'));
    await until(() => failures.length === 1);
    expect(failures[0]).toMatchObject({
      error: {
        name: 'HttpError',
        status: 401,
        excerpt: 'denied',
        headers: { 'www-authenticate': 'Bearer' },
      },
    });
  });

  it('is not retried forever', async () => {
    let calls = 0;
    const server = await scriptedServer(({ response }) => response.writeHead(401).end());
    const onUnauthorized = (): Promise<boolean> => {
      calls += 1;
      return Promise.resolve(true);
    };
    const { transport, failures } = await openTransport({ url: server.url, onUnauthorized });
    await transport.send(modernRequest(1, 'tools/list'));
    await until(() => failures.length === 1);
    expect(calls).toBe(3);
    expect(server.arrivals).toHaveLength(4);
  });

  it('at the end of a session does not trigger authorization', async () => {
    let calls = 0;
    const server = await scriptedServer(
      (arrival) =>
        void (arrival.method === 'DELETE'
          ? arrival.response.writeHead(401).end()
          : playHandshake(arrival)),
    );
    const onUnauthorized = (): Promise<boolean> => {
      calls += 1;
      return Promise.resolve(true);
    };
    const opened = await openTransport({ url: server.url, onUnauthorized });
    await handshake(opened);
    await opened.transport.close();
    expect(server.arrivals.at(-1)?.method).toBe('DELETE');
    expect(calls).toBe(0);
  });

  it('fails with the reason of a failed host', async () => {
    const problem = new Error('the window was closed');
    const server = await scriptedServer(({ response }) => response.writeHead(401).end());
    const { transport, failures } = await openTransport({
      url: server.url,
      onUnauthorized: () => Promise.reject(problem),
    });
    await transport.send(modernRequest(1, 'tools/list'));
    await until(() => failures.length === 1);
    expect(failures[0]?.error).toMatchObject({ code: 'connect-failed', cause: problem });
  });
});

describe('a redirect', () => {
  it.each([307, 308])(
    '%i within the origin is followed with method, body and headers',
    async (status) => {
      const server = await scriptedServer((arrival) => {
        if (arrival.url === '/mcp') arrival.response.writeHead(status, { location: '/mcp/' }).end();
        else answerJson(arrival);
      });
      const { transport, messages } = await openTransport({
        url: server.url,
        headers: { Authorization: 'Bearer x' },
      });
      await transport.send(modernRequest(1, 'tools/list'));
      await until(() => messages.length === 1);
      expect(server.arrivals[1]).toMatchObject({
        method: 'POST',
        url: '/mcp/',
        body: { id: 1 },
        headers: { authorization: 'Bearer x' },
      });
    },
  );

  it('is not followed in a circle', async () => {
    const server = await scriptedServer(({ response }) =>
      response.writeHead(307, { location: '/mcp' }).end(),
    );
    const { transport, failures } = await openTransport({ url: server.url });
    await transport.send(modernRequest(1, 'tools/list'));
    await until(() => failures.length === 1);
    expect(failures[0]).toMatchObject({ error: { status: 307 } });
    expect(server.arrivals).toHaveLength(4);
  });
});
