import {
  request as httpRequest,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { onTestFinished } from 'vitest';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { createServer } from '../../server/create-server.ts';
import type { Server, ServerOptions } from '../../server/server.ts';
import type { ToolDefinition } from '../../server/tools/tool.ts';
import { serveHttp, type HttpListener, type ServeHttpOptions } from './serve-http.ts';

export const ACCEPT_BOTH = 'application/json, text/event-stream';

export interface SseEvent {
  readonly id: string | undefined;
  readonly data: string;
  readonly event: string | undefined;
  readonly retry: string | undefined;
}

/** A response whose body is read as it arrives. */
export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Returns the text so far. */
  readonly text: () => string;
  /** Returns the events and comments so far. */
  readonly events: () => readonly SseEvent[];
  readonly comments: () => number;
  /** Returns the JSON values of the events so far. */
  readonly messages: () => readonly JsonObject[];
  /** Resolves with the first event value, past or future, that matches. */
  readonly find: (matches: (message: JsonObject) => boolean) => Promise<JsonObject>;
  /** Resolves with the whole body; `undefined` when the connection broke before its end. */
  readonly ended: Promise<string | undefined>;
  readonly incoming: IncomingMessage;
  readonly destroy: () => void;
}

export interface RawRequest {
  readonly method?: string;
  readonly headers?: { readonly [name: string]: string | undefined };
  /** Sent as JSON unless it is a string. */
  readonly body?: unknown;
  readonly path?: string;
}

/** An HTTP client of a listener under test. */
export class HttpPeer {
  readonly server: Server;
  readonly listener: HttpListener;

  constructor(server: Server, listener: HttpListener) {
    this.server = server;
    this.listener = listener;
  }

  /** Returns the open request, for tests that end it. */
  begin({ method = 'POST', headers = {}, path = '/mcp' }: RawRequest = {}): {
    readonly request: ClientRequest;
    readonly response: Promise<RawResponse>;
  } {
    const { promise, resolve, reject } = Promise.withResolvers<RawResponse>();
    const defaults =
      method === 'POST' ? { 'content-type': 'application/json', accept: ACCEPT_BOTH } : {};
    const all: { readonly [name: string]: string | undefined } = { ...defaults, ...headers };
    const fields = Object.fromEntries(
      Object.entries(all).filter(([, value]) => value !== undefined),
    );
    const request = httpRequest({
      host: '127.0.0.1',
      port: this.listener.port,
      method,
      path,
      headers: fields,
      agent: false,
    });
    request.on('response', (incoming) => {
      resolve(readResponse(incoming, request));
    });
    request.on('error', reject);
    promise.catch(() => undefined);
    return { request, response: promise };
  }

  async send(raw: RawRequest = {}): Promise<RawResponse> {
    const { request, response } = this.begin(raw);
    request.end(
      raw.body === undefined || typeof raw.body === 'string' ? raw.body : JSON.stringify(raw.body),
    );
    return response;
  }

  /** Sends a request and reads the whole response. */
  async exchange(raw: RawRequest = {}): Promise<{
    readonly status: number;
    readonly headers: IncomingHttpHeaders;
    readonly text: string;
    readonly json: JsonObject;
  }> {
    const response = await this.send(raw);
    const text = (await response.ended) ?? '';
    const isJson = response.headers['content-type'] === 'application/json';
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? (JSON.parse(text) as JsonObject) : {},
    };
  }

  /** Sends a modern request with its required headers. */
  modern(
    method: string,
    params: JsonObject = {},
    { id = 1, headers = {}, meta = {} }: ModernOptions = {},
  ): RawRequest {
    const name = params.name ?? params.uri ?? params.taskId;
    return {
      headers: {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
        ...headers,
      },
      body: {
        jsonrpc: '2.0',
        id,
        method,
        params: {
          ...params,
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
            ...meta,
          },
        },
      },
    };
  }

  /** Opens a legacy session. */
  async initialize(
    protocolVersion = '2025-11-25',
    {
      capabilities = {},
      headers = {},
    }: {
      readonly capabilities?: JsonObject;
      readonly headers?: { readonly [name: string]: string };
    } = {},
  ): Promise<HttpSession> {
    const params = { protocolVersion, capabilities, clientInfo: { name: 'raw', version: '1' } };
    const {
      headers: answered,
      status,
      text,
    } = await this.exchange({
      headers,
      body: { jsonrpc: '2.0', id: 'initialize', method: 'initialize', params },
    });
    const sessionId = answered['mcp-session-id'];
    if (typeof sessionId !== 'string') throw new Error(`No session: ${String(status)} ${text}`);
    const session = new HttpSession(this, { ...headers, 'mcp-session-id': sessionId });
    await session.notify('notifications/initialized');
    return session;
  }
}

export interface ModernOptions {
  readonly id?: string | number;
  readonly headers?: { readonly [name: string]: string | undefined };
  readonly meta?: JsonObject;
}

export class HttpSession {
  readonly headers: { readonly [name: string]: string };
  readonly #peer: HttpPeer;

  constructor(peer: HttpPeer, headers: { readonly [name: string]: string }) {
    this.#peer = peer;
    this.headers = headers;
  }

  post(body: unknown): Promise<RawResponse> {
    return this.#peer.send({ headers: this.headers, body });
  }

  request(id: string | number, method: string, params: JsonObject = {}): Promise<RawResponse> {
    return this.post({ jsonrpc: '2.0', id, method, params });
  }

  call(id: string | number, name: string, args: JsonObject = {}): Promise<RawResponse> {
    return this.request(id, 'tools/call', { name, arguments: args });
  }

  async notify(method: string, params: JsonObject = {}): Promise<number> {
    return (await this.post({ jsonrpc: '2.0', method, params })).status;
  }

  /** Opens the standalone stream, or resumes a stream. */
  get(lastEventId?: string): Promise<RawResponse> {
    const resumption = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    return this.#peer.send({
      method: 'GET',
      headers: { ...this.headers, accept: 'text/event-stream', ...resumption },
    });
  }

  async delete(): Promise<number> {
    return (await this.#peer.send({ method: 'DELETE', headers: this.headers })).status;
  }
}

/** Starts a listener that is closed at the end of the test. */
export async function serve(
  options: Partial<ServerOptions> = {},
  http: ServeHttpOptions = {},
): Promise<HttpPeer> {
  const server = createServer({ info: { name: 'test', version: '1' }, ...options });
  const listener = await serveHttp(server, http);
  onTestFinished(() => listener.close());
  return new HttpPeer(server, listener);
}

/** Returns a tool that accepts any arguments. */
export function toolOf(
  name: string,
  handler: ToolDefinition<JsonObject>['handler'],
  inputSchema: JsonObject = { type: 'object' },
): ToolDefinition {
  const annotations = {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  };
  return { name, description: name, inputSchema, annotations, handler };
}

export const echo = toolOf('echo', ({ text }) => ({
  content: [{ type: 'text', text: String(text) }],
}));

/** Returns a tool that responds on demand. */
export function heldTool(name = 'hold'): {
  readonly tool: ToolDefinition;
  readonly release: (text?: string) => void;
  readonly started: Promise<{ readonly signal: AbortSignal }>;
} {
  const release = Promise.withResolvers<string>();
  const started = Promise.withResolvers<{ readonly signal: AbortSignal }>();
  const tool = toolOf(name, async (_args, context) => {
    started.resolve({ signal: context.signal });
    return { content: [{ type: 'text', text: await release.promise }] };
  });
  return {
    tool,
    release: (text = 'released') => {
      release.resolve(text);
    },
    started: started.promise,
  };
}

export function readEvents(text: string): {
  readonly events: SseEvent[];
  readonly comments: number;
} {
  const events: SseEvent[] = [];
  let comments = 0;
  for (const block of text.split('\n\n').slice(0, -1)) {
    const lines = block.split('\n');
    const field = (name: string): string | undefined =>
      lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    if (lines.every((line) => line.startsWith(':'))) comments += 1;
    else
      events.push({
        id: field('id'),
        data: field('data') ?? '',
        event: field('event'),
        retry: field('retry'),
      });
  }
  return { events, comments };
}

function readResponse(incoming: IncomingMessage, request: ClientRequest): RawResponse {
  let text = '';
  const ended = Promise.withResolvers<string | undefined>();
  const checks = new Set<() => void>();
  incoming.setEncoding('utf8');
  incoming.on('data', (chunk: string) => {
    text += chunk;
    for (const check of checks) check();
  });
  incoming.on('end', () => {
    ended.resolve(text);
  });
  incoming.on('error', () => undefined);
  incoming.on('close', () => {
    ended.resolve(undefined);
  });
  const messages = (): JsonObject[] =>
    readEvents(text)
      .events.filter(({ data }) => data !== '')
      .map(({ data }) => JSON.parse(data) as JsonObject);
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    text: () => text,
    events: () => readEvents(text).events,
    comments: () => readEvents(text).comments,
    messages,
    find: (matches) => {
      const found = Promise.withResolvers<JsonObject>();
      const check = (): void => {
        const message = messages().find(matches);
        if (message !== undefined) found.resolve(message);
      };
      checks.add(check);
      check();
      return found.promise;
    },
    ended: ended.promise,
    incoming,
    destroy: () => {
      request.destroy();
    },
  };
}
