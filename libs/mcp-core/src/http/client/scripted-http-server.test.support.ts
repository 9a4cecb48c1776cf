import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { JsonObject, RequestId } from '../../jsonrpc/messages.ts';
import type { Transport, UnreadableMessage } from '../../jsonrpc/transport.ts';
import { httpTransport, type HttpTransportOptions } from './http-transport.ts';

/** A received HTTP request. */
export interface Arrival {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  /** The parsed body; `undefined` without one. */
  readonly body:
    | { readonly id?: RequestId; readonly method?: string; readonly params?: JsonObject }
    | undefined;
  readonly response: ServerResponse;
  readonly socket: Socket;
}

export interface ScriptedHttpServer {
  readonly url: string;
  readonly arrivals: readonly Arrival[];
  /** Returns the number of connections so far. */
  readonly connections: () => number;
  readonly openConnections: () => number;
  readonly destroyConnections: () => void;
  /** Refuses new connections; open connections stay. */
  readonly stopListening: () => void;
  readonly close: () => Promise<void>;
}

/**
 * Starts a server on this machine that handles each request by the script; closed at the end of the
 * test.
 */
export async function scriptedServer(
  script: (arrival: Arrival) => void,
  port = 0,
): Promise<ScriptedHttpServer> {
  const arrivals: Arrival[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const arrival: Arrival = {
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body: text === '' ? undefined : (JSON.parse(text) as NonNullable<Arrival['body']>),
        response,
        socket: request.socket,
      };
      arrivals.push(arrival);
      script(arrival);
    });
  });
  // Neither closes idle connections nor announces that it will.
  server.keepAliveTimeout = 0;
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const destroyConnections = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const close = async (): Promise<void> => {
    destroyConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(close);
  const { port: actual } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${actual}/mcp`,
    arrivals,
    connections: () => connections,
    openConnections: () => sockets.size,
    destroyConnections,
    stopListening: () => void server.close(),
    close,
  };
}

export interface Opened {
  readonly transport: Transport;
  /** Delivered messages, in order. */
  readonly messages: unknown[];
  readonly failures: { readonly id: RequestId; readonly error: Error }[];
  readonly unreadable: UnreadableMessage[];
  /** Arguments of the calls of `closed`. */
  readonly ends: (Error | undefined)[];
}

/** Starts a transport with a recording receiver; closed at the end of the test. */
export async function openTransport(options: HttpTransportOptions): Promise<Opened> {
  const transport = httpTransport(options);
  const opened: Opened = { transport, messages: [], failures: [], unreadable: [], ends: [] };
  await transport.start({
    message: (value) => opened.messages.push(value),
    requestFailed: (id, error) => opened.failures.push({ id, error }),
    unreadable: (problem) => opened.unreadable.push(problem),
    closed: (error) => opened.ends.push(error),
  });
  onTestFinished(() => transport.close());
  return opened;
}

export function answerJson(
  { response, body }: Arrival,
  result: JsonObject = {},
  headers: { readonly [name: string]: string } = {},
): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: body?.id, result }));
}

export function beginEvents(
  { response }: Arrival,
  headers: { readonly [name: string]: string } = {},
): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
  response.flushHeaders();
}

/** Returns a modern request; `params` are merged with its `_meta`. */
export function modernRequest(
  id: RequestId,
  method: string,
  params: JsonObject = {},
): { jsonrpc: '2.0'; id: RequestId; method: string; params: JsonObject } {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return { jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } };
}

export function legacyRequest(
  id: RequestId,
  method: string,
  params: JsonObject = {},
): { jsonrpc: '2.0'; id: RequestId; method: string; params: JsonObject } {
  return { jsonrpc: '2.0', id, method, params };
}

/** Handles the handshake of a legacy session; returns false for any other request. */
export function playHandshake(
  arrival: Arrival,
  {
    version = '2025-11-25',
    sessionId = 'session-1',
    get = 405,
  }: { version?: string; sessionId?: string; get?: number | 'stream' } = {},
): boolean {
  const { method, body, response } = arrival;
  if (body?.method === 'initialize') {
    answerJson(
      arrival,
      { protocolVersion: version, capabilities: {}, serverInfo: { name: 's', version: '1' } },
      sessionId === '' ? {} : { 'mcp-session-id': sessionId },
    );
    return true;
  }
  if (method === 'DELETE' || (method === 'POST' && body?.id === undefined)) {
    response.writeHead(method === 'DELETE' ? 200 : 202).end();
    return true;
  }
  if (method === 'GET' && arrival.headers['last-event-id'] === undefined && get !== 'stream') {
    response.writeHead(get).end();
    return true;
  }
  return false;
}

/** Performs the legacy handshake with id 1. */
export async function handshake({ transport, messages }: Opened): Promise<void> {
  await transport.send(
    legacyRequest(1, 'initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'c', version: '1' },
    }),
  );
  await until(() => messages.length > 0);
  messages.length = 0;
  await transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
}

/** Waits for a condition without the global timers, which may be fake. */
export async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 10_000;
  for (let turn = 0; !condition(); turn += 1) {
    if (performance.now() > deadline) throw new Error(`Not within 10 s: ${condition.toString()}`);
    await (turn < 20 ? new Promise((resolve) => setImmediate(resolve)) : delay(1));
  }
}
