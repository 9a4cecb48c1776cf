import { EventStream, type StreamScope } from './event-stream.ts';
import type { HttpExchange } from './http-exchange.ts';

/** The number of the stream that belongs to no request. */
export const STANDALONE_STREAM = 0;

/** Messages that may wait for the client to open the stream, and their bytes; the oldest go first. */
const MAX_WAITING = 256;
const MAX_WAITING_BYTES = 256 * 1024;

/**
 * The stream a client opens by GET, for what belongs to no request. There is one for each session: a client that opens it again takes it over, so each
 * message goes over one connection. Messages wait while there is none; a change that waits already is not added again.
 */
export class StandaloneStream {
  readonly #stream: EventStream;
  #waiting: { readonly text: string; readonly bytes: number }[] = [];
  #waitingBytes = 0;

  constructor(scope: StreamScope) {
    this.#stream = new EventStream(STANDALONE_STREAM, scope);
  }

  get isConnected(): boolean {
    return this.#stream.isConnected;
  }

  connect(exchange: HttpExchange): void {
    this.#stream.connect(exchange);
    this.#flush();
  }

  async resume(exchange: HttpExchange, after: number): Promise<void> {
    await this.#stream.resume(exchange, after);
    this.#flush();
  }

  /** `isChange`: the message says that something has changed, which need not be said twice. */
  send(text: string, isChange: boolean): Promise<void> {
    if (this.#stream.isConnected) return this.#stream.send(text);
    if (!isChange || !this.#waiting.some((waiting) => waiting.text === text)) this.#wait(text);
    return Promise.resolve();
  }

  keepAlive(): void {
    this.#stream.keepAlive();
  }

  end(): void {
    this.#stream.end();
  }

  #flush(): void {
    if (!this.#stream.isConnected) return;
    this.#waitingBytes = 0;
    for (const { text } of this.#waiting.splice(0)) void this.#stream.send(text);
  }

  #wait(text: string): void {
    const bytes = Buffer.byteLength(text);
    this.#waiting.push({ text, bytes });
    this.#waitingBytes += bytes;
    while (this.#waiting.length > MAX_WAITING || this.#waitingBytes > MAX_WAITING_BYTES) {
      this.#waitingBytes -= this.#waiting.shift()?.bytes ?? 0;
    }
  }
}
