import { isJsonObject } from '../../src/jsonrpc/envelope.ts';
import type { JsonObject } from '../../src/jsonrpc/messages.ts';
import { metaOf } from '../../src/era/meta-keys.ts';
import { mcpNameOf } from '../../src/http/headers/mcp-name.ts';
import type { Wire, WireEvent, WireRequest, WireResponse } from './wire.ts';

const EXTENSION = 'io.modelcontextprotocol/tasks';
const CAPABILITIES = {
  elicitation: { form: {} },
  extensions: { [EXTENSION]: {} },
};

/** The messages of one response, as they are read. */
export interface Messages {
  readonly response: WireResponse;
  /** Returns the next message. @throws Error at the end of the response. */
  next(): Promise<JsonObject>;
  /** Reads to the end and returns the last message. */
  last(): Promise<JsonObject>;
  /** Returns the id of the last event, for resuming. */
  eventId(): string;
}

/** A client of all revisions that reads no more than a scenario asks for. */
export class McpClient {
  #hasLeft = false;
  readonly #wire: Wire;
  readonly #principal: string;
  #session: { readonly [name: string]: string } = {};
  #nextId = 1;
  /** Number of HTTP requests. */
  sent = 0;

  constructor(wire: Wire, principal: string) {
    this.#wire = wire;
    this.#principal = principal;
  }

  get sessionId(): string | undefined {
    return this.#session['mcp-session-id'];
  }

  /** Sends a modern request. */
  async modern(method: string, params: JsonObject = {}): Promise<Messages> {
    const name = mcpNameOf(method, params);
    return this.send({
      headers: {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
      },
      body: this.request(method, { ...params, _meta: modernMeta() }),
    });
  }

  /** Opens a session by `initialize`. */
  async initialize(protocolVersion = '2025-11-25'): Promise<void> {
    const opened = await this.send({ body: this.initializeRequest(protocolVersion) });
    await opened.next();
    const id = opened.response.header('mcp-session-id');
    this.#session = {
      'mcp-protocol-version': protocolVersion,
      ...(id === undefined ? {} : { 'mcp-session-id': id }),
    };
    await this.send({ body: { jsonrpc: '2.0', method: 'notifications/initialized' } });
  }

  initializeRequest(protocolVersion: string): JsonObject {
    return this.request('initialize', {
      protocolVersion,
      capabilities: { elicitation: {}, roots: {}, sampling: {} },
      clientInfo: { name: 'leaver', version: '1.0.0' },
    });
  }

  /** Sends a request of the session. */
  async legacy(method: string, params: JsonObject = {}): Promise<Messages> {
    return this.send({ body: this.request(method, params) });
  }

  request(method: string, params: JsonObject): JsonObject {
    return {
      jsonrpc: '2.0',
      id: this.#nextId++,
      method,
      params: { ...params, _meta: { progressToken: 'p', ...metaOf(params) } },
    };
  }

  async send(request: WireRequest): Promise<Messages> {
    this.sent += 1;
    const headers = { authorization: this.#principal, ...this.#session, ...request.headers };
    const response = await this.#wire.send({ ...request, headers });
    return new ReadMessages(response);
  }

  get hasLeft(): boolean {
    return this.#hasLeft;
  }

  leave(): void {
    this.#hasLeft = true;
    this.#wire.leave();
  }
}

/** Returns the parameters of a call of a tool. */
export function call(name: string, more: JsonObject = {}): JsonObject {
  return { name, arguments: {}, ...more };
}

function modernMeta(): JsonObject {
  return {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'leaver', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': CAPABILITIES,
    'io.modelcontextprotocol/logLevel': 'info',
    progressToken: 'p',
  };
}

class ReadMessages implements Messages {
  readonly response: WireResponse;
  #id = '';

  constructor(response: WireResponse) {
    this.response = response;
  }

  async next(): Promise<JsonObject> {
    const event = await this.#read();
    if (event === undefined) throw new Error('The response has ended');
    return readJson(event.data);
  }

  async last(): Promise<JsonObject> {
    let last: JsonObject = {};
    for (let event = await this.#read(); event !== undefined; event = await this.#read())
      last = readJson(event.data);
    return last;
  }

  eventId(): string {
    return this.#id;
  }

  async #read(): Promise<WireEvent | undefined> {
    for (;;) {
      const { done, value } = await this.response.events.next();
      if (done === true) return undefined;
      this.#id = value.id ?? this.#id;
      if (value.data !== '') return value;
    }
  }
}

function readJson(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : { batch: value };
  } catch {
    return { text };
  }
}
