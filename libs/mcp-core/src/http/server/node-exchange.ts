import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ByteBudget, ByteHolder, HandlerMemory } from './byte-budget.ts';
import { passBody } from './given-body.ts';
import type { BodyFailure, BodyReader, ExchangeOptions, HttpExchange } from './http-exchange.ts';
import type { HttpHeaders } from '../headers/http-headers.ts';

/** Multiple of the body limit after which a client is disconnected. */
const MAX_DISCARDED_LIMITS = 16;
/** Characters of a response above which it is noticed that the client does not read it. */
const HELD_BYTES = 16_384;

/** An exchange over `node:http`. */
export class NodeExchange implements HttpExchange, ByteHolder {
  readonly path: string;
  readonly query: string;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  #goneListener: (() => void) | undefined;
  /** Whether the bytes that are not sent are counted. */
  #isHolding = false;
  #drained: Drained | undefined;
  #addedFields: readonly string[] = [];
  bodyBytes = 0;
  readonly #body: unknown;
  readonly #memory: HandlerMemory | undefined;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    { body, memory }: ExchangeOptions = {},
  ) {
    const { url = '/' } = request;
    const mark = url.indexOf('?');
    this.path = mark === -1 ? url : url.slice(0, mark);
    this.query = mark === -1 ? '' : url.slice(mark + 1);
    this.#request = request;
    this.#response = response;
    this.#body = body;
    this.#memory = memory;
    response.on('close', () => {
      if (!response.writableFinished) this.#goneListener?.();
    });
  }

  onGone(listener: () => void): void {
    const { destroyed, writableFinished } = this.#response;
    this.#goneListener = destroyed ? undefined : listener;
    if (destroyed && !writableFinished) listener();
  }

  get method(): string {
    return this.#request.method ?? '';
  }

  get headers(): HttpHeaders {
    return this.#request.headers;
  }

  isGone(): boolean {
    return this.#response.destroyed;
  }

  readBody(maxBytes: number, done: BodyReader): void {
    if (this.#body === undefined)
      new NodeBody(this.#request, { maxBytes, done, budget: this.#memory?.requests }).read();
    else passBody(this.#body, { maxBytes, done, budget: this.#memory?.requests });
  }

  addFields(fields: readonly string[]): void {
    // Header fields that are written replace fields of the same name that a framework has set.
    const set = this.#response.getHeader('vary');
    const added = fields.map((value, index) =>
      set !== undefined && fields[index - 1] === 'vary' ? `${String(set)}, ${value}` : value,
    );
    this.#addedFields = [...this.#addedFields, ...added];
  }

  respond(status: number, fields: readonly string[], body: string): void {
    if (this.isGone()) return;
    const all = [...fields, ...this.#addedFields];
    // RFC 9110 allows no length with 204.
    if (status !== 204) all.push('content-length', String(Buffer.byteLength(body)));
    this.#response.writeHead(status, all);
    this.#response.end(body);
    if (body.length > HELD_BYTES) this.#holdUnsent();
  }

  open(fields: readonly string[]): void {
    if (this.isGone()) return;
    this.#response.writeHead(200, [...fields, ...this.#addedFields]);
  }

  write(text: string): Promise<void> | undefined {
    const response = this.#response;
    if (response.destroyed || response.write(text)) return undefined;
    this.#holdUnsent();
    this.#drained ??= new Drained(response, () => {
      this.#drained = undefined;
    });
    return this.#drained.promise;
  }

  end(text = ''): void {
    if (!this.isGone()) {
      this.#response.end(text);
      if (text.length > HELD_BYTES) this.#holdUnsent();
    }
    // Nothing more is written, so that no handler must wait for a client that does not read.
    this.#drained?.settle();
  }

  destroy(): void {
    this.#response.destroy();
  }

  evict(): void {
    this.#response.destroy();
  }

  /** Counts what the client has not read, until it has read all. */
  #holdUnsent(): void {
    const unsent = this.#memory?.unsent;
    if (unsent === undefined || this.#response.writableLength === 0) return;
    if (!this.#isHolding) {
      this.#isHolding = true;
      const release = (): void => {
        if (this.#response.writableLength === 0 || this.#response.destroyed) unsent.release(this);
      };
      for (const event of ['drain', 'finish', 'close']) this.#response.on(event, release);
    }
    unsent.hold(this, this.#response.writableLength);
  }
}

/** Settles when more can be written, or the client has left. */
class Drained {
  readonly promise: Promise<void>;
  readonly settle: () => void;

  constructor(response: ServerResponse, settled: () => void) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.promise = promise;
    this.settle = () => {
      response.off('drain', this.settle);
      response.off('close', this.settle);
      settled();
      resolve();
    };
    response.on('drain', this.settle);
    response.on('close', this.settle);
  }
}

const EMPTY = new Uint8Array();

interface BodyOptions {
  readonly maxBytes: number;
  readonly done: (body: Uint8Array, failure?: BodyFailure) => void;
  readonly budget: ByteBudget | undefined;
}

class NodeBody implements ByteHolder {
  readonly #request: IncomingMessage;
  readonly #maxBytes: number;
  #done: ((body: Uint8Array, failure?: BodyFailure) => void) | undefined;
  #first: Buffer | undefined;
  #more: Buffer[] | undefined;
  #length = 0;
  readonly #budget: ByteBudget | undefined;

  constructor(request: IncomingMessage, { maxBytes, done, budget }: BodyOptions) {
    this.#request = request;
    this.#budget = budget;
    this.#maxBytes = maxBytes;
    this.#done = done;
  }

  read(): void {
    const request = this.#request;
    // A body that was already read does not arrive again, and its request may close at any time.
    if (request.readableEnded) {
      queueMicrotask(() => {
        this.#finish(EMPTY);
      });
      return;
    }
    // A request whose client has left emits nothing more.
    if (request.destroyed)
      queueMicrotask(() => {
        this.#finish(EMPTY, 'gone');
      });
    request.on('data', (chunk: Buffer) => {
      this.#take(chunk);
    });
    request.on('end', () => {
      this.#finish(this.#body());
    });
    request.on('close', () => {
      this.#finish(EMPTY, 'gone');
    });
  }

  #take(chunk: Buffer): void {
    this.#length += chunk.length;
    if (this.#length > this.#maxBytes || this.#done === undefined) {
      this.#discard('too-large');
    } else if (this.#first === undefined) {
      this.#first = chunk;
    } else {
      this.#more ??= [this.#first];
      this.#more.push(chunk);
    }
    if (this.#done !== undefined) this.#budget?.hold(this, this.#length);
  }

  /**
   * Reads and discards the rest of the body, so that a client that writes before it reads gets the
   * response, and the connection stays usable.
   */
  #discard(failure: BodyFailure): void {
    this.#first = undefined;
    this.#more = undefined;
    this.#finish(EMPTY, failure);
    if (this.#length > this.#maxBytes * MAX_DISCARDED_LIMITS) this.#request.destroy();
  }

  evict(): void {
    this.#discard('busy');
  }

  #body(): Uint8Array {
    return this.#more === undefined
      ? (this.#first ?? EMPTY)
      : Buffer.concat(this.#more, this.#length);
  }

  #finish(body: Uint8Array, failure?: BodyFailure): void {
    const done = this.#done;
    this.#done = undefined;
    this.#budget?.release(this);
    done?.(body, failure);
  }
}
