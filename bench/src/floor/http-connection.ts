import type { Era, JsonObject } from '@signalbox/mcp-core';
import { fieldOf, HttpSocket, type HttpResponse } from './http-socket.ts';
import {
  INITIALIZE,
  LEGACY_VERSION,
  MODERN_VERSION,
  resultOf,
  withMeta,
  type Answer,
  type FloorPeer,
} from './peer.ts';

/** The floor's client over HTTP: the load on servers, and the floor of clients. Keeps as many connections as there were concurrent requests. */
export class FloorHttpConnection implements FloorPeer {
  onNotification: () => void = () => undefined;
  readonly #port: number;
  readonly #era: Era;
  readonly #idle: HttpSocket[] = [];
  #session: string | undefined;
  #lastId = 0;

  constructor(port: number, era: Era) {
    this.#port = port;
    this.#era = era;
  }

  /** A second call opens one more session if the server has sessions. */
  async open(): Promise<void> {
    if (this.#era === 'modern') {
      await this.request('server/discover', {});
      return;
    }
    this.#session = undefined;
    await this.request('initialize', INITIALIZE);
    await this.#post({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  async request(method: string, params: JsonObject, meta?: JsonObject): Promise<JsonObject> {
    this.#lastId += 1;
    const { head, body } = await this.#post({
      jsonrpc: '2.0',
      id: this.#lastId,
      method,
      params: withMeta(params, this.#era, meta),
    });
    const isStream = fieldOf(head, 'content-type')?.startsWith('text/event-stream') === true;
    return resultOf(isStream ? this.#readEvents(body) : (JSON.parse(body) as Answer));
  }

  close(): void {
    for (const socket of this.#idle) socket.close();
  }

  async #post(message: {
    readonly method: string;
    readonly [member: string]: unknown;
  }): Promise<HttpResponse> {
    const body = JSON.stringify(message);
    const fields = [
      'POST /mcp HTTP/1.1',
      `host: 127.0.0.1:${String(this.#port)}`,
      'content-type: application/json',
      'accept: application/json, text/event-stream',
      `content-length: ${String(body.length)}`,
      ...this.#fieldsOf(message),
    ];
    const socket = this.#idle.pop() ?? new HttpSocket(this.#port);
    const response = await socket.exchange(`${fields.join('\r\n')}\r\n\r\n${body}`);
    this.#idle.push(socket);
    if (response.status >= 400) throw new Error(`${String(response.status)} ${response.body}`);
    if (message.method === 'initialize') this.#session = fieldOf(response.head, 'mcp-session-id');
    return response;
  }

  #fieldsOf({ method, params }: { readonly method: string; readonly params?: unknown }): string[] {
    if (this.#era === 'modern') {
      const name = (params as { readonly name?: string } | undefined)?.name;
      return [
        `mcp-protocol-version: ${MODERN_VERSION}`,
        `mcp-method: ${method}`,
        ...(name === undefined ? [] : [`mcp-name: ${name}`]),
      ];
    }
    return [
      `mcp-protocol-version: ${LEGACY_VERSION}`,
      ...(this.#session === undefined ? [] : [`mcp-session-id: ${this.#session}`]),
    ];
  }

  /** The last event is the answer. */
  #readEvents(body: string): Answer {
    let answer: Answer = {};
    for (const line of body.split('\n')) {
      if (!line.startsWith('data: ') || line.length < 8) continue;
      answer = JSON.parse(line.slice(6)) as Answer;
      if (answer.id === undefined) this.onNotification();
    }
    return answer;
  }
}
