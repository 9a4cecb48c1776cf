import type { Readable, Writable } from 'node:stream';
import type { Era, JsonObject } from '@signalbox/mcp-core';
import { onLines } from './on-lines.mjs';
import { INITIALIZE, resultOf, withMeta, type Answer, type FloorPeer } from './peer.ts';

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/** A stdio client with as little work per message as possible: the load on servers, and the floor of clients. Does not validate what the server sends. */
export class FloorConnection implements FloorPeer {
  onNotification: () => void = () => undefined;
  readonly #output: Writable;
  readonly #era: Era;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #isClosed = false;

  constructor(
    { stdout, stdin }: { readonly stdout: Readable; readonly stdin: Writable },
    era: Era,
  ) {
    this.#output = stdin;
    this.#era = era;
    onLines(stdout, (line) => {
      this.#receive(JSON.parse(line) as Answer);
    });
    stdout.once('close', () => {
      this.#isClosed = true;
      for (const { reject } of this.#waiting.values()) reject(closedError());
    });
    // The end of its output is the end of the server.
    stdin.on('error', () => undefined);
  }

  async open(): Promise<void> {
    if (this.#era === 'modern') {
      await this.request('server/discover', {});
      return;
    }
    await this.request('initialize', INITIALIZE);
    this.#output.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  }

  async request(method: string, params: JsonObject, meta?: JsonObject): Promise<JsonObject> {
    if (this.#isClosed) throw closedError();
    this.#lastId += 1;
    const id = this.#lastId;
    const answer = new Promise<Answer>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
    });
    this.#output.write(
      `${JSON.stringify({ jsonrpc: '2.0', id, method, params: withMeta(params, this.#era, meta) })}\n`,
    );
    return resultOf(await answer);
  }

  #receive(answer: Answer): void {
    if (answer.id === undefined) {
      this.onNotification();
      return;
    }
    this.#waiting.get(answer.id)?.resolve(answer);
    this.#waiting.delete(answer.id);
  }
}

function closedError(): Error {
  return new Error('The server closed its output');
}
