import type { JsonObject } from '@signalbox/mcp-core';
import { type IncomingMessage, createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Output of a fake model in one turn, independent of the API. */
export interface FakeTurn {
  readonly reasoning?: string;
  readonly text?: string;
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly json: string }[];
  readonly stop?: 'max_tokens' | 'refusal';
  /** Whether reasoning lacks the data needed to replay it. */
  readonly unsealed?: boolean;
}

export interface FakeUsage {
  readonly uncached: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
}

export const FAKE_USAGE: FakeUsage = {
  uncached: 70,
  cacheRead: 20,
  cacheWrite: 10,
  output: 30,
  reasoning: 5,
};

export type Reply =
  | { readonly turn: FakeTurn; readonly chunkBytes?: number; readonly lineEnd?: '\r\n' }
  /** Raw events and the end of the body after them. */
  | { readonly events: readonly string[]; readonly end: 'clean' | 'stall' | 'reset' }
  | {
      readonly status: number;
      readonly headers?: { readonly [name: string]: string };
      readonly body: unknown;
    };

/** A fake API, as strict as the real one. */
export interface FakeWire {
  readonly path: string;
  /** Returns the reason why the API refuses the request, or undefined. */
  check(body: JsonObject, headers: IncomingMessage['headers']): string | undefined;
  error(type: string, message: string): JsonObject;
  /** Returns SSE events with their `event:` and `data:` lines. */
  encode(turn: FakeTurn, request: JsonObject): readonly string[];
  /** Returns an error event inside the stream of a 200 response. */
  streamError(code: string, message: string): string;
}

export interface SeenRequest {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly body: JsonObject;
  readonly headers: IncomingMessage['headers'];
  /** Resolves when the connection of the response is closed. */
  readonly closed: Promise<void>;
}

export interface FakeServer extends AsyncDisposable {
  /** Origin without a path. */
  readonly origin: string;
  readonly seen: readonly SeenRequest[];
  /** Replies to the next requests, in order. */
  readonly replies: Reply[];
  /** Returns the reply when no other is left. Default: a 500 response. */
  otherwise: () => Reply;
}

export const GOOD_KEY = 'test-key-0123456789';

/** Listens on a random loopback port. A key other than `GOOD_KEY` is refused and echoed. */
export async function startFakeServer(wire: FakeWire): Promise<FakeServer> {
  const seen: SeenRequest[] = [];
  const replies: Reply[] = [];
  const state: FakeState = {
    wire,
    seen,
    replies,
    otherwise: () => ({ status: 500, body: wire.error('api_error', 'the test has no reply left') }),
  };
  const server = createServer((request, response) => {
    void answer({ request, response }, state).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    replies,
    get otherwise() {
      return state.otherwise;
    },
    set otherwise(reply) {
      state.otherwise = reply;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface FakeState {
  readonly wire: FakeWire;
  readonly seen: SeenRequest[];
  readonly replies: Reply[];
  otherwise: () => Reply;
}

async function answer(
  { request, response }: Exchange,
  { wire, seen, replies, otherwise }: FakeState,
): Promise<void> {
  const body = JSON.parse(Buffer.concat(await request.toArray()).toString('utf8')) as JsonObject;
  seen.push({
    at: Date.now(),
    body,
    headers: request.headers,
    closed: new Promise((resolve) => response.once('close', () => resolve())),
  });
  if (request.method !== 'POST' || request.url !== wire.path)
    return sendJson(response, {
      status: 404,
      body: wire.error('not_found_error', `no route ${request.url}`),
    });
  const { authorization } = request.headers;
  if (authorization !== `Bearer ${GOOD_KEY}`)
    return sendJson(response, {
      status: 401,
      body: wire.error('authentication_error', `Incorrect API key provided: ${authorization}`),
    });
  const reply = replies.shift() ?? otherwise();
  if ('status' in reply) return sendJson(response, reply);
  const problem = wire.check(body, request.headers);
  if (problem !== undefined)
    return sendJson(response, { status: 400, body: wire.error('invalid_request_error', problem) });
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'request-id': 'req_1',
    'x-request-id': 'req_1',
  });
  if ('turn' in reply) return sendTurn(response, wire.encode(reply.turn, body).join(''), reply);
  await write(response, reply.events.join(''));
  if (reply.end === 'clean') response.end();
  if (reply.end === 'reset') request.socket.resetAndDestroy();
}

async function sendTurn(
  response: ServerResponse,
  text: string,
  { chunkBytes, lineEnd }: { chunkBytes?: number; lineEnd?: string },
): Promise<void> {
  const bytes = Buffer.from(lineEnd === undefined ? text : text.replaceAll('\n', lineEnd));
  const step = chunkBytes ?? bytes.length;
  for (let at = 0; at < bytes.length; at += step)
    await write(response, bytes.subarray(at, at + step));
  response.end();
}

/** Writes each piece separately. */
async function write(response: ServerResponse, bytes: Buffer | string): Promise<void> {
  await new Promise<void>((resolve) => response.write(bytes, () => resolve()));
}

function sendJson(
  response: ServerResponse,
  {
    status,
    headers,
    body,
  }: { status: number; headers?: { readonly [name: string]: string }; body: unknown },
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

export function sse(event: string, contents: JsonObject): string {
  return `event: ${event}\ndata: ${JSON.stringify({ type: event, ...contents })}\n\n`;
}
