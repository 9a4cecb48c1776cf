import type { ByteBudget, ByteHolder, HandlerMemory } from './byte-budget.ts';
import { passBody } from './given-body.ts';
import type { BodyFailure, BodyReader, ExchangeOptions, HttpExchange } from './http-exchange.ts';
import type { HttpHeaders } from '../headers/http-headers.ts';

/** Unread bytes of a slow reader after which `write` applies backpressure. */
const HIGH_WATER_MARK_BYTES = 16_384;

/** An exchange over the web platform's `Request` and `Response`. */
export class WebExchange implements HttpExchange, ByteHolder {
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
  bodyBytes = 0;
  #reading: WebBody | undefined;
  readonly #body: unknown;
  readonly #memory: HandlerMemory | undefined;

  constructor(request: Request, { body, memory }: ExchangeOptions = {}) {
    const url = new URL(request.url);
    this.method = request.method;
    this.path = url.pathname;
    this.query = url.search.slice(1);
    this.headers = { host: url.host, ...Object.fromEntries(request.headers) };
    this.#request = request;
    this.#body = body;
    this.#memory = memory;
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

  readBody(maxBytes: number, done: BodyReader): void {
    if (this.#body === undefined) void this.#readBody(maxBytes, done);
    else passBody(this.#body, { maxBytes, done, budget: this.#memory?.requests });
  }

  addFields(fields: readonly string[]): void {
    this.#addedFields = [...this.#addedFields, ...fields];
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
    const room = this.#stream.desiredSize ?? 0;
    if (room > 0) return undefined;
    this.#memory?.unsent.hold(this, HIGH_WATER_MARK_BYTES - room);
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
    const body = new WebBody(this.#request.body, maxBytes, this.#memory?.requests);
    this.#reading = body;
    try {
      const failure = await body.read();
      if (this.#isGone) done(EMPTY, 'gone');
      else if (failure === undefined) done(body.bytes());
      else done(EMPTY, failure);
    } catch {
      done(EMPTY, 'gone');
      this.#gone();
    }
  }

  evict(): void {
    this.#stream?.error(new Error('The client does not read'));
    this.#isComplete = false;
    this.#gone();
  }

  #gone(): void {
    if (this.#isGone || this.#isComplete) return;
    this.#isGone = true;
    this.#reading?.evict();
    this.#settleDrained();
    this.#respond(new Response(undefined, { status: 499 }));
    this.#goneListener?.();
    this.#goneListener = undefined;
  }

  #settleDrained(): void {
    this.#memory?.unsent.release(this);
    this.#drained?.resolve();
    this.#drained = undefined;
  }
}

const EMPTY = new Uint8Array();

class WebBody implements ByteHolder {
  readonly #body: ReadableStream<Uint8Array> | null;
  readonly #maxBytes: number;
  readonly #budget: ByteBudget | undefined;
  readonly #refused = Promise.withResolvers<'busy'>();
  #chunks: Uint8Array[] = [];
  #length = 0;
  #isRefused = false;

  constructor(
    body: ReadableStream<Uint8Array> | null,
    maxBytes: number,
    budget: ByteBudget | undefined,
  ) {
    this.#body = body;
    this.#maxBytes = maxBytes;
    this.#budget = budget;
  }

  async read(): Promise<BodyFailure | undefined> {
    try {
      return await Promise.race([this.#read(), this.#refused.promise]);
    } finally {
      this.#budget?.release(this);
    }
  }

  bytes(): Uint8Array {
    return Buffer.concat(this.#chunks, this.#length);
  }

  evict(): void {
    this.#isRefused = true;
    this.#chunks = [];
    this.#refused.resolve('busy');
  }

  async #read(): Promise<BodyFailure | undefined> {
    for await (const chunk of this.#body ?? []) {
      if (this.#isRefused) return 'busy';
      this.#length += chunk.byteLength;
      if (this.#length > this.#maxBytes) return 'too-large';
      this.#chunks.push(chunk);
      this.#budget?.hold(this, this.#length);
    }
    return this.#isRefused ? 'busy' : undefined;
  }
}

function pairs(fields: readonly string[]): [string, string][] {
  const result: [string, string][] = [];
  for (let index = 0; index < fields.length; index += 2)
    result.push([fields[index] ?? '', fields[index + 1] ?? '']);
  return result;
}
