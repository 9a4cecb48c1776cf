import type { AuthContext } from '../../jsonrpc/transport.ts';
import { EventStream, type StreamScope } from './event-stream.ts';
import type { HttpExchange } from './http-exchange.ts';

/** Number of the stream for messages without a request. */
export const STANDALONE_STREAM = 0;

/** Maximum number of waiting messages, and of their bytes; the oldest are dropped first. */
const MAX_WAITING = 256;
const MAX_WAITING_BYTES = 256 * 1024;

/**
 * The stream that a client opens by GET, for messages without a request. Each session has one: a
 * client that opens it again replaces its connection, so each message is sent once. Messages wait
 * while there is no connection; a change notification that already waits is not added again.
 */
export class StandaloneStream {
  readonly #stream: EventStream;
  #waiting: { readonly text: string; readonly bytes: number }[] = [];
  #waitingBytes = 0;
  #expiresAtMs: number | undefined;

  constructor(scope: StreamScope) {
    this.#stream = new EventStream(STANDALONE_STREAM, scope);
  }

  get isConnected(): boolean {
    return this.#stream.isConnected;
  }

  /** Uses a connection, until the token of its request expires. */
  connect(exchange: HttpExchange, auth: AuthContext | undefined): void {
    this.#expiresAtMs = auth?.expiresAtMs;
    this.#stream.connect(exchange);
    this.#flush();
  }

  async resume(
    exchange: HttpExchange,
    after: number,
    auth: AuthContext | undefined,
  ): Promise<void> {
    this.#expiresAtMs = auth?.expiresAtMs;
    await this.#stream.resume(exchange, after);
    this.#flush();
  }

  /** Sends a message. `isChange`: a change notification, which need not be repeated. */
  send(text: string, isChange: boolean): Promise<void> | undefined {
    if (this.#stream.isConnected) return this.#stream.send(text);
    if (!isChange || !this.#waiting.some((waiting) => waiting.text === text)) this.#wait(text);
    return undefined;
  }

  /** Ends the connection when its token has expired. */
  keepAlive(): void {
    if (this.#expiresAtMs !== undefined && Date.now() >= this.#expiresAtMs)
      this.#stream.disconnect();
    else this.#stream.keepAlive();
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
