import { describe, expect, it, vi } from 'vitest';
import { HttpError } from '../../protocol/http-error.ts';
import {
  answerJson,
  beginEvents,
  modernRequest,
  openTransport,
  scriptedServer,
} from './scripted-http-server.test.support.ts';

const WAIT = { timeout: 10_000 };
const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;

describe('a modern request', () => {
  it('is one POST with the standard headers and a JSON response', async () => {
    const server = await scriptedServer((arrival) => answerJson(arrival, { ok: true }));
    const opened = await openTransport({
      url: server.url,
      headers: { Authorization: 'Bearer t0ken' },
    });
    await opened.transport.send(modernRequest(1, 'tools/call', { name: 'grüße', arguments: {} }), {
      headers: { 'Mcp-Param-Region': 'us' },
    });
    await vi.waitFor(
      () => expect(opened.messages).toEqual([{ jsonrpc: '2.0', id: 1, result: { ok: true } }]),
      WAIT,
    );
    const [arrival] = server.arrivals;
    expect(arrival).toMatchObject({
      method: 'POST',
      url: '/mcp',
      body: { id: 1, method: 'tools/call', params: { name: 'grüße' } },
    });
    expect(arrival?.headers).toMatchObject({
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': '=?base64?Z3LDvMOfZQ==?=',
      'mcp-param-region': 'us',
      authorization: 'Bearer t0ken',
    });
    expect(arrival?.headers).not.toHaveProperty('mcp-session-id');
    expect(server.arrivals).toHaveLength(1);
  });

  it.each([
    ['tools/list', {}, undefined],
    ['prompts/get', { name: 'greet' }, 'greet'],
    ['resources/read', { uri: 'file:///a%20b' }, 'file:///a%20b'],
    ['tasks/get', { taskId: 't-1' }, 't-1'],
  ])('%s is named by %j', async (method, params, name) => {
    const server = await scriptedServer((arrival) => answerJson(arrival));
    const { transport } = await openTransport({ url: server.url });
    await transport.send(modernRequest('a', method, params));
    expect(server.arrivals[0]?.headers['mcp-method']).toBe(method);
    expect(server.arrivals[0]?.headers['mcp-name']).toBe(name);
  });

  it('accepts a byte order mark before its JSON response', async () => {
    const answer = { jsonrpc: '2.0', id: 1, result: { ok: true } };
    const server = await scriptedServer(({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(`\uFEFF${JSON.stringify(answer)}`);
    });
    const { transport, messages } = await openTransport({ url: server.url });
    await transport.send(modernRequest(1, 'tools/list'));
    await vi.waitFor(() => expect(messages).toEqual([answer]), WAIT);
  });

  it('delivers the notifications of its stream in order and before the response, however the bytes are cut', async () => {
    const notifications = Array.from({ length: 50 }, (_, n) => ({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progress: n, message: 'ä€😀' },
    }));
    const answer = { jsonrpc: '2.0', id: 7, result: { text: 'ä€😀' } };
    const bytes = Buffer.from(
      `\uFEFF: hello\r\n\r\n${[...notifications, answer].map(event).join('')}`,
    );
    const server = await scriptedServer((arrival) => {
      beginEvents(arrival);
      for (let at = 0; at < bytes.length; at += 7)
        arrival.response.write(bytes.subarray(at, at + 7));
      arrival.response.end();
    });
    const { transport, messages } = await openTransport({ url: server.url });
    await transport.send(modernRequest(7, 'tools/call', { name: 'a' }));
    await vi.waitFor(() => expect(messages).toHaveLength(51), WAIT);
    expect(messages).toEqual([...notifications, answer]);
  });

  it('is cancelled by closing its stream, without a message', async () => {
    let isClosed = false;
    const server = await scriptedServer((arrival) => {
      arrival.response.on('close', () => {
        isClosed = true;
      });
      beginEvents(arrival);
      arrival.response.write(
        event({ jsonrpc: '2.0', method: 'notifications/progress', params: {} }),
      );
    });
    const { transport, messages, failures } = await openTransport({ url: server.url });
    await transport.send(modernRequest(3, 'tools/call', { name: 'a' }));
    await vi.waitFor(() => expect(messages).toHaveLength(1), WAIT);
    await transport.send({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 3 },
    });
    await vi.waitFor(() => expect(isClosed).toBe(true), WAIT);
    expect(server.arrivals).toHaveLength(1);
    expect(failures).toEqual([]);
  });

  it('is not cancelled after its response', async () => {
    const server = await scriptedServer((arrival) => answerJson(arrival));
    const { transport, messages } = await openTransport({ url: server.url });
    await transport.send(modernRequest(3, 'tools/list'));
    await vi.waitFor(() => expect(messages).toHaveLength(1), WAIT);
    await transport.send({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 3 },
    });
    await transport.send(modernRequest(4, 'tools/list'));
    await vi.waitFor(() => expect(messages).toHaveLength(2), WAIT);
    expect(server.arrivals.map(({ body }) => body?.method)).toEqual(['tools/list', 'tools/list']);
  });

  it('fails when its stream ends before the response, and is not resumed', async () => {
    const server = await scriptedServer((arrival) => {
      beginEvents(arrival);
      arrival.response.end('id: 1\nretry: 1\ndata: \n\n');
    });
    const { transport, failures } = await openTransport({ url: server.url });
    await transport.send(modernRequest(3, 'tools/call', { name: 'a' }));
    await vi.waitFor(
      () =>
        expect(failures).toMatchObject([{ id: 3, error: { code: 'connection-lost', sent: true } }]),
      WAIT,
    );
    expect(server.arrivals).toHaveLength(1);
  });

  it('opens no standalone stream and ends no session', async () => {
    const server = await scriptedServer((arrival) =>
      answerJson(arrival, {}, { 'mcp-session-id': 'ignored' }),
    );
    const { transport, messages } = await openTransport({ url: server.url });
    await transport.send(modernRequest(1, 'server/discover'));
    await vi.waitFor(() => expect(messages).toHaveLength(1), WAIT);
    await transport.send(modernRequest(2, 'tools/list'));
    await transport.close();
    expect(
      server.arrivals.map(({ method, headers }) => [method, headers['mcp-session-id']]),
    ).toEqual([
      ['POST', undefined],
      ['POST', undefined],
    ]);
  });

  it('closes a stream that the server keeps open after the response', async () => {
    const server = await scriptedServer((arrival) => {
      beginEvents(arrival);
      arrival.response.write(event({ jsonrpc: '2.0', id: 1, result: {} }));
    });
    const { transport, messages } = await openTransport({ url: server.url });
    await transport.send(modernRequest(1, 'tools/list'));
    await vi.waitFor(() => expect(messages).toHaveLength(1), WAIT);
    await vi.waitFor(() => expect(server.openConnections()).toBe(0), WAIT);
  });

  it.each([
    [400, { code: -32022, message: 'Unsupported protocol version', data: { supported: [] } }],
    [404, { code: -32601, message: 'Method not found' }],
    [500, { code: -32603, message: 'Internal error' }],
  ])('takes a JSON-RPC error from a %i', async (status, error) => {
    const server = await scriptedServer(({ response }) =>
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id: 1, error })),
    );
    const { transport, messages, failures } = await openTransport({ url: server.url });
    await transport.send(modernRequest(1, 'tools/list'));
    await vi.waitFor(() => expect(messages).toEqual([{ jsonrpc: '2.0', id: 1, error }]), WAIT);
    expect(failures).toEqual([]);
  });

  it.each([{ id: null }, {}])('reads an error without id in a 400 as its own: %j', async (id) => {
    const error = { code: -32020, message: 'Header mismatch' };
    const server = await scriptedServer(({ response }) =>
      response
        .writeHead(400, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', ...id, error })),
    );
    const { transport, messages } = await openTransport({ url: server.url });
    await transport.send(modernRequest('x', 'tools/list'));
    await vi.waitFor(() => expect(messages).toEqual([{ jsonrpc: '2.0', id: 'x', error }]), WAIT);
  });

  it.each([401, 403, 503])(
    'does not read an error without id in a %i as its response',
    async (status) => {
      const body = JSON.stringify({
        jsonrpc: '2.0',
        id: null,
        error: { code: -32001, message: 'No entry' },
      });
      const server = await scriptedServer(({ response }) =>
        response
          .writeHead(status, {
            'content-type': 'application/json',
            'www-authenticate': 'Bearer realm="x"',
          })
          .end(body),
      );
      const { transport, messages, failures } = await openTransport({ url: server.url });
      await transport.send(modernRequest(1, 'tools/list'));
      await vi.waitFor(() => expect(failures).toHaveLength(1), WAIT);
      expect(messages).toEqual([]);
      const { error } = failures[0]!;
      expect(error).toBeInstanceOf(HttpError);
      expect(error).toMatchObject({
        status,
        headers: { 'www-authenticate': 'Bearer realm="x"' },
        rpcError: { code: -32001 },
        isSessionLost: false,
      });
    },
  );
});
