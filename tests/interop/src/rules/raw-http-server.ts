import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RequestId, Transport } from '@signalbox/mcp-core';
import { Inbox, type Message } from './message.ts';
import type { RawServer, Script } from './script.ts';

/** An HTTP request of the client. */
export interface Arrival {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly message: Message | undefined;
}

/**
 * Plays its script over HTTP: responds as JSON, or on the request's stream once something was sent
 * there.
 */
export class RawHttpServer implements RawServer {
  readonly inbox = new Inbox();
  readonly arrivals: Arrival[] = [];
  /** Requests whose connection the client closed before the response. */
  readonly abandoned: (RequestId | null)[] = [];
  /** Session id that the server assigns. */
  sessionId = 'session-1';
  #endedSession: string | undefined;
  readonly #server: Server;
  readonly #script: Script;
  readonly #open: (url: string) => Transport;
  readonly #waiting = new Map<RequestId | null | undefined, ServerResponse>();

  private constructor(script: Script, open: (url: string) => Transport) {
    this.#script = script;
    this.#open = open;
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const message = text === '' ? undefined : (JSON.parse(text) as Message);
        this.arrivals.push({ method: request.method ?? '', headers: request.headers, message });
        const sessionId = request.headers['mcp-session-id'];
        if (sessionId !== undefined && sessionId === this.#endedSession)
          response.writeHead(404).end();
        else this.#take(message, { method: request.method, response });
      });
    });
  }

  static async start(script: Script, open: (url: string) => Transport): Promise<RawHttpServer> {
    const server = new RawHttpServer(script, open);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`;
  }

  open(): Transport {
    return this.#open(this.url);
  }

  send(message: unknown, relatedTo?: RequestId | null): void {
    const response = this.#waiting.get(relatedTo);
    if (response === undefined) throw new Error(`No stream of ${String(relatedTo)}`);
    this.#stream(response);
    response.write(`data: ${JSON.stringify(message)}\n\n`);
  }

  /** Returns the arrivals with this method. */
  posts(method: string): readonly Arrival[] {
    return this.arrivals.filter((arrival) => arrival.message?.method === method);
  }

  /** Writes raw text on the stream of a request, which opens the stream. */
  write(text: string, relatedTo?: RequestId | null): void {
    const response = this.#waiting.get(relatedTo);
    if (response !== undefined) this.#stream(response);
    response?.write(text);
  }

  /** Ends the stream of a request without a response. */
  endStream(relatedTo?: RequestId | null): void {
    this.#waiting.get(relatedTo)?.end();
    this.#waiting.delete(relatedTo);
  }

  /** Responds to the old session id with 404 from now on; the next initialize gets the new id. */
  endSession(next: string): void {
    this.#endedSession = this.sessionId;
    this.sessionId = next;
  }

  crash(): void {
    this.#server.closeAllConnections();
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.crash();
    await closed;
  }

  #take(
    message: Message | undefined,
    {
      method,
      response,
    }: { readonly method: string | undefined; readonly response: ServerResponse },
  ): void {
    if (method === 'GET') {
      this.#waiting.set(undefined, response);
      this.#stream(response);
    } else if (message === undefined) {
      response.writeHead(method === 'DELETE' ? 200 : 400).end();
    } else {
      for (const each of [message].flat()) this.inbox.add(each);
      if (message.method !== undefined && message.id !== undefined)
        void this.#answer(message, response);
      else response.writeHead(202).end();
    }
  }

  async #answer(request: Message, response: ServerResponse): Promise<void> {
    const id = request.id ?? null;
    this.#waiting.set(id, response);
    response.on('close', () => {
      if (this.#waiting.delete(id)) this.abandoned.push(id);
    });
    const reply = await this.#script[request.method ?? '']?.(request, this);
    if (reply === undefined || !this.#waiting.delete(id)) return;
    const text = JSON.stringify({ jsonrpc: '2.0', id, ...reply });
    if (response.headersSent) {
      response.end(`data: ${text}\n\n`);
    } else {
      const session = request.method === 'initialize' ? { 'mcp-session-id': this.sessionId } : {};
      response
        .writeHead(statusOf(reply), { 'content-type': 'application/json', ...session })
        .end(text);
    }
  }

  #stream(response: ServerResponse): void {
    if (response.headersSent) return;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
  }
}

function statusOf(reply: object): number {
  const { error } = reply as Message;
  if (error === undefined) return 200;
  return error.code === -32_601 ? 404 : 400;
}
