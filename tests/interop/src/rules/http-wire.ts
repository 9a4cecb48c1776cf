import type { JsonObject, RequestId } from '@signalbox/mcp-core';
import { serveHttp, type ServeHttpOptions } from '@signalbox/mcp-core/http/server';
import type { Server } from '@signalbox/mcp-core/server';
import { Inbox, Key, metaOf, type Message } from './message.ts';
import type { RawWire } from './raw-wire.ts';
import { readEvents } from './read-events.ts';

/** The response to a POSTed notification or response. */
export interface Accepted {
  readonly status: number;
  readonly body: string;
}

export interface HttpWire extends RawWire {
  readonly url: string;
  readonly accepted: readonly Accepted[];
  /** Additional header fields of the next POSTs. */
  readonly headers: { [name: string]: string };
}

const ACCEPT = 'application/json, text/event-stream';
const NAME_OF: { readonly [method: string]: string } = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** Connects a minimal conforming HTTP client to a server. */
export async function openHttp(server: Server, options: ServeHttpOptions = {}): Promise<HttpWire> {
  const listener = await serveHttp(server, { onError: () => undefined, ...options });
  return new PostingWire(listener.url, () => listener.close());
}

class PostingWire implements HttpWire {
  readonly url: string;
  readonly inbox = new Inbox();
  readonly accepted: Accepted[] = [];
  readonly headers: { [name: string]: string } = {};
  readonly #ended = new AbortController();
  readonly #closeServer: () => Promise<void>;
  readonly #statuses = new Map<unknown, number>();
  readonly #streams = new Set<Promise<void>>();
  #order: Promise<void> = Promise.resolve();

  constructor(url: string, closeServer: () => Promise<void>) {
    this.url = url;
    this.#closeServer = closeServer;
  }

  /**
   * Sends in call order as far as HTTP has one: a message without a response is accepted before the
   * next message is sent.
   */
  send(message: unknown): void {
    this.#order = this.#sendAfter(this.#order, message);
  }

  async #sendAfter(before: Promise<void>, message: unknown): Promise<void> {
    await before;
    const isAnswered = [message]
      .flat()
      .some((each) => (each as Message).method !== undefined && (each as Message).id !== undefined);
    if (isAnswered) this.#streams.add(this.#request(message as Message));
    else await this.#oneWay(message as Message);
    if ((message as Message).method === 'initialize')
      await this.inbox.find((answer) => answer.id === (message as Message).id);
  }

  statusOf(id: RequestId): number | undefined {
    return this.#statuses.get(id);
  }

  async close(): Promise<void> {
    await this.#order;
    await this.#closeServer();
    // Reads the server's last messages.
    await Promise.all(this.#streams);
    this.#ended.abort();
  }

  async #request(message: Message): Promise<void> {
    try {
      const response = await this.#post(message);
      if (message.id !== undefined) this.#statuses.set(message.id, response.status);
      const sessionId = response.headers.get('mcp-session-id');
      if (sessionId !== null) this.headers['mcp-session-id'] = sessionId;
      if (response.headers.get('content-type')?.startsWith('text/event-stream') === true)
        await this.#read(response);
      else
        for (const answer of [JSON.parse(await response.text()) as Message | Message[]].flat())
          this.#arrived(answer);
    } catch (error) {
      if (!this.#ended.signal.aborted)
        this.inbox.add({
          id: message.id ?? null,
          error: { code: 0, message: `No answer: ${String(error)}` },
        });
    }
  }

  async #oneWay(message: Message): Promise<void> {
    const response = await this.#post(message);
    this.accepted.push({ status: response.status, body: await response.text() });
    if (message.method === 'notifications/initialized') await this.#listen();
  }

  #post(message: Message): Promise<Response> {
    const headers = {
      'content-type': 'application/json',
      accept: ACCEPT,
      ...modernHeaders(message),
      ...this.headers,
    };
    return fetch(this.url, {
      method: 'POST',
      headers,
      body: JSON.stringify(message),
      signal: this.#ended.signal,
    });
  }

  /** Opens the session's stream for messages without a request. */
  async #listen(): Promise<void> {
    const response = await fetch(this.url, {
      headers: { accept: 'text/event-stream', ...this.headers },
      signal: this.#ended.signal,
    });
    if (response.ok) this.#streams.add(this.#read(response).catch(() => undefined));
  }

  async #read(response: Response): Promise<void> {
    for await (const { data } of readEvents(response))
      if (data !== '') this.#arrived(JSON.parse(data) as Message);
  }

  #arrived(message: Message): void {
    const { protocolVersion } = message.result ?? {};
    if (typeof protocolVersion === 'string' && protocolVersion >= '2025-06-18')
      this.headers['mcp-protocol-version'] = protocolVersion;
    this.inbox.add(message);
  }
}

/** Returns the headers that mirror a modern message; none for a legacy one. */
export function modernHeaders({ method, params }: Message): { [name: string]: string } {
  const version = metaOf(params)[Key.protocolVersion];
  if (method === undefined || typeof version !== 'string') return {};
  const name = (params as JsonObject)[NAME_OF[method] ?? ''];
  return {
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
  };
}
