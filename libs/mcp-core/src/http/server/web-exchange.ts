import { passBody } from './given-body.ts';
import type { BodyFailure, HttpExchange } from './http-exchange.ts';
import type { HttpHeaders } from '../headers/http-headers.ts';

/** Unread bytes of a slow reader after which `write` applies backpressure. */
const HIGH_WATER_MARK_BYTES = 16_384;

/** An exchange over the web platform's `Request` and `Response`. */
export class WebExchange implements HttpExchange {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: HttpHeaders;
  readonly response: Promise<Response>;
  #isGone = false;
  readonly #request: Request;
  readonly #encoder = new TextEncoder();
  readonly #respond: (response: Response) => void;
  #stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  #isComplete = false;
  #goneListener: (() => void) | undefined;
  #drained: PromiseWithResolvers<void> | undefined;
  #addedFields: readonly string[] = [];
  readonly #body: unknown;

  /** `body` is a body that was already read: parsed JSON, text or bytes. */
  constructor(request: Request, body?: unknown) {
    const url = new URL(request.url);
    this.method = request.method;
    this.path = url.pathname;
    this.query = url.search.slice(1);
    this.headers = { host: url.host, ...Object.fromEntries(request.headers) };
    this.#request = request;
    this.#body = body;
    const { promise, resolve } = Promise.withResolvers<Response>();
    this.response = promise;
    this.#respond = resolve;
    const aborted = (): void => {
      // The rest has no reader.
      this.#stream?.error(request.signal.reason);
      this.#gone();
    };
    if (request.signal.aborted) aborted();
    else request.signal.addEventListener('abort', aborted);
  }

  isGone(): boolean {
    return this.#isGone;
  }

  onGone(listener: () => void): void {
    this.#goneListener = this.#isGone ? undefined : listener;
    if (this.#isGone) listener();
  }

  readBody(maxBytes: number, done: (body: Uint8Array, failure?: BodyFailure) => void): void {
    if (this.#body === undefined) void this.#readBody(maxBytes, done);
    else passBody(this.#body, maxBytes, done);
  }

  addFields(fields: readonly string[]): void {
    this.#addedFields = fields;
  }

  respond(status: number, fields: readonly string[], body: string): void {
    this.#isComplete = true;
    // The platform refuses any body, even an empty one, with this status.
    this.#respond(
      new Response(status === 204 ? undefined : body, {
        status,
        headers: pairs([...fields, ...this.#addedFields]),
      }),
    );
  }

  open(fields: readonly string[]): void {
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#stream = controller;
        },
        pull: () => {
          this.#settleDrained();
        },
        cancel: () => {
          this.#gone();
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: HIGH_WATER_MARK_BYTES }),
    );
    this.#respond(
      new Response(body, { status: 200, headers: pairs([...fields, ...this.#addedFields]) }),
    );
  }

  write(text: string): Promise<void> | undefined {
    if (this.#isGone || this.#stream === undefined) return undefined;
    this.#stream.enqueue(this.#encoder.encode(text));
    if ((this.#stream.desiredSize ?? 0) > 0) return undefined;
    this.#drained ??= Promise.withResolvers<void>();
    return this.#drained.promise;
  }

  end(text?: string): void {
    if (this.#isGone || this.#isComplete) return;
    this.#isComplete = true;
    if (text !== undefined) this.#stream?.enqueue(this.#encoder.encode(text));
    this.#stream?.close();
    this.#settleDrained();
  }

  destroy(): void {
    if (this.#isGone || this.#isComplete) return;
    this.#respond(new Response(undefined, { status: 503 }));
    this.#stream?.error(new Error('The server ended the stream'));
    this.#gone();
  }

  async #readBody(
    maxBytes: number,
    done: (body: Uint8Array, failure?: BodyFailure) => void,
  ): Promise<void> {
    let body: Uint8Array | undefined;
    try {
      body = await readBytes(this.#request.body, maxBytes);
    } catch {
      done(EMPTY, 'gone');
      this.#gone();
      return;
    }
    if (this.#isGone) done(EMPTY, 'gone');
    else if (body === undefined) done(EMPTY, 'too-large');
    else done(body);
  }

  #gone(): void {
    if (this.#isGone || this.#isComplete) return;
    this.#isGone = true;
    this.#settleDrained();
    this.#respond(new Response(undefined, { status: 499 }));
    this.#goneListener?.();
    this.#goneListener = undefined;
  }

  #settleDrained(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
  }
}

const EMPTY = new Uint8Array();

/** Returns `undefined` when the body is longer. */
async function readBytes(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.byteLength;
    if (length > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

function pairs(fields: readonly string[]): [string, string][] {
  const result: [string, string][] = [];
  for (let index = 0; index < fields.length; index += 2)
    result.push([fields[index] ?? '', fields[index + 1] ?? '']);
  return result;
}
