import { connectClient } from '@signalbox/mcp-core/client';
import { serveHttp } from '@signalbox/mcp-core/http/server';
import { httpTransport } from '@signalbox/mcp-core/http/client';
import { createServer } from '@signalbox/mcp-core/server';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { proves } from '../requirements/proves.ts';
import { CLIENT_INFO, SERVER_INFO, type Message } from './message.ts';
import { readEvents } from './read-events.ts';
import { echo, serverOptions } from './test-tools.ts';

test(
  'a server of 2024-11-05 has a stream whose first event names the other endpoint',
  proves(
    { side: 'server', era: 'legacy', wire: 'legacy-sse' },
    'http-sse.endpoints',
    'http-sse.endpoint-event',
    'http-sse.message-events',
  ),
  async () => {
    const listener = await serveHttp(createServer(serverOptions({ tools: [echo] })), {
      legacySse: true,
      limits: { drainMs: 100 },
      onError: () => undefined,
    });
    onTestFinished(() => listener.close());
    const { url } = listener;
    const stop = new AbortController();
    const response = await fetch(new URL('/sse', url), {
      headers: { accept: 'text/event-stream' },
      signal: stop.signal,
    });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const events = readEvents(response);
    const next = async () =>
      ((await events.next()) as { value: { event?: string; data: string } }).value;
    const endpoint = await next();
    expect(endpoint.event).toBe('endpoint');
    const send = async (message: Message) => {
      const posted = await fetch(new URL(endpoint.data, url), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(message),
      });
      expect(posted.status).toBe(202);
    };
    await send({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: CLIENT_INFO },
    });
    const opened = await next();
    expect(opened.event).toBe('message');
    expect(JSON.parse(opened.data)).toMatchObject({
      id: 1,
      result: { protocolVersion: '2024-11-05' },
    });
    await send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await send({
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/call',
      params: { name: 'echo', arguments: { text: 'old' } },
    });
    expect(JSON.parse((await next()).data)).toMatchObject({
      id: 2,
      result: { content: [{ text: 'old' }] },
    });
    stop.abort();
  },
);

test(
  'a client POSTs every message to the endpoint an old server names',
  proves(
    { side: 'client', era: 'legacy', wire: 'legacy-sse' },
    'http-sse.posts',
    'session-http.old-server',
  ),
  async () => {
    const posts: string[] = [];
    let stream: ServerResponse | undefined;
    const server = createHttpServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        if (request.method === 'GET') {
          stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
          stream.write('event: endpoint\ndata: /post?session=7\n\n');
        } else if (request.url === '/post?session=7') {
          const { id, method } = JSON.parse(Buffer.concat(chunks).toString()) as Message;
          posts.push(method ?? 'answer');
          response.writeHead(202).end('Accepted');
          const result =
            method === 'initialize'
              ? {
                  protocolVersion: '2024-11-05',
                  capabilities: { tools: {} },
                  serverInfo: SERVER_INFO,
                }
              : { content: [{ type: 'text', text: 'old' }] };
          if (id !== undefined)
            stream?.write(
              `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`,
            );
        } else response.writeHead(405).end();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sse`;
    const client = await connectClient(() => httpTransport({ url, legacySse: true }), {
      info: CLIENT_INFO,
    });
    expect(client.server.protocolVersion).toBe('2024-11-05');
    expect(await client.callTool('t', {})).toMatchObject({ content: [{ text: 'old' }] });
    expect(posts).toEqual(['initialize', 'notifications/initialized', 'tools/call']);
    await client.close();
  },
);
