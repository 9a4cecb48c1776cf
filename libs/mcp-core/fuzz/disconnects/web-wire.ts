import { setImmediate as nextTurn } from 'node:timers/promises';
import type { HttpHandler } from '../../src/http/server/index.ts';
import {
  headersOf,
  readEvents,
  type Departure,
  type OpenWire,
  type Wire,
  type WireRequest,
  type WireResponse,
} from './wire.ts';

/** Connects clients to the `fetch` face of a handler. */
export function openWebWires(handler: HttpHandler, arrived: (request: object) => void): OpenWire {
  const serve = (request: Request): Promise<Response> => {
    arrived(request);
    return handler.fetch(request);
  };
  return (departure) => new WebWire(departure, serve);
}

const PIECES = 3;

class WebWire implements Wire {
  readonly #departure: Departure;
  readonly #serve: (request: Request) => Promise<Response>;
  readonly #open = new Set<(reason: Error) => void>();
  #hasLeft = false;

  constructor(departure: Departure, serve: (request: Request) => Promise<Response>) {
    this.#departure = departure;
    this.#serve = serve;
  }

  async send(request: WireRequest): Promise<WireResponse> {
    if (this.#hasLeft) throw new Error('The client has left');
    const aborting = new AbortController();
    const abort = (reason: Error): void => aborting.abort(reason);
    this.#open.add(abort);
    const body = request.body === undefined ? undefined : this.#bodyOf(request.body);
    const response = await this.#serve(
      new Request(`http://localhost${request.path ?? '/mcp'}`, {
        method: request.method ?? 'POST',
        headers: headersOf(request),
        signal: aborting.signal,
        ...(body === undefined ? {} : { body, duplex: 'half' }),
      }),
    );
    const isStream = response.headers.get('content-type') === 'text/event-stream';
    return {
      status: response.status,
      header: (name) => response.headers.get(name) ?? undefined,
      events: readEvents(this.#read(response, abort), isStream),
    };
  }

  leave(): void {
    this.#hasLeft = true;
    for (const end of this.#open) end(new Error('The client has left'));
    this.#open.clear();
  }

  /** Returns a body that arrives in pieces and breaks when the client ends its side. */
  #bodyOf(value: unknown): ReadableStream<Uint8Array> {
    const bytes = new TextEncoder().encode(JSON.stringify(value));
    const length = Math.ceil(bytes.length / PIECES);
    let sent = 0;
    return new ReadableStream({
      start: (controller) => {
        if (this.#departure === 'half-close')
          this.#open.add((reason) => {
            if (sent < bytes.length) controller.error(reason);
          });
      },
      pull: async (controller) => {
        await nextTurn();
        if (this.#hasLeft) return;
        controller.enqueue(bytes.subarray(sent, sent + length));
        sent += length;
        if (sent >= bytes.length) controller.close();
      },
    });
  }

  async *#read(response: Response, abort: (reason: Error) => void): AsyncGenerator<Uint8Array> {
    const body: ReadableStream<Uint8Array> | null = response.body;
    const reader = body?.getReader();
    if (reader === undefined) return;
    if (this.#departure !== 'destroy') {
      this.#open.delete(abort);
      this.#open.add((reason) => void reader.cancel(reason).catch(() => undefined));
    }
    if (this.#departure === 'unread') await new Promise<never>(() => undefined);
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  }
}
