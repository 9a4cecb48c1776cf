import type { Readable, Writable } from 'node:stream';
import type { Era, JsonObject } from '@signalbox/mcp-core';
import { onLines } from './on-lines.mjs';

interface Answer {
  readonly id?: number;
  readonly result?: JsonObject;
  readonly error?: { readonly message: string };
}

interface Waiting {
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: Error) => void;
}

const CLIENT_INFO = { name: 'floor', version: '1.0.0' };
const MODERN_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': CLIENT_INFO,
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A client with as little work per message as possible: the load on servers, and the floor of clients. Believes what the server sends. */
export class FloorConnection {
  /** Called with each notification. */
  onNotification: () => void = () => undefined;
  readonly #output: Writable;
  readonly #era: Era;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #isClosed = false;

  constructor({ stdout, stdin }: { readonly stdout: Readable; readonly stdin: Writable }, era: Era) {
    this.#output = stdin;
    this.#era = era;
    onLines(stdout, (line) => {
      this.#receive(JSON.parse(line) as Answer);
    });
    stdout.once('close', () => {
      this.#isClosed = true;
      for (const { reject } of this.#waiting.values()) reject(closedError());
    });
    // The server's end is told by its output.
    stdin.on('error', () => undefined);
  }

  /** Performs the handshake of the era. */
  async open(): Promise<void> {
    if (this.#era === 'modern') {
      await this.request('server/discover', {});
      return;
    }
    await this.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: CLIENT_INFO });
    this.#output.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  }

  /** Rejects when the server answers with an error or closes its output. */
  request(method: string, params: JsonObject, meta?: JsonObject): Promise<JsonObject> {
    if (this.#isClosed) return Promise.reject(closedError());
    this.#lastId += 1;
    const id = this.#lastId;
    const fullMeta = this.#era === 'modern' ? { ...MODERN_META, ...meta } : meta;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#output.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params: fullMeta === undefined ? params : { ...params, _meta: fullMeta } })}\n`);
    });
  }

  #receive({ id, result, error }: Answer): void {
    if (id === undefined) {
      this.onNotification();
      return;
    }
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (result === undefined) waiting?.reject(new Error(error?.message ?? 'an answer without result or error'));
    else waiting?.resolve(result);
  }
}

function closedError(): Error {
  return new Error('The server closed its output');
}
