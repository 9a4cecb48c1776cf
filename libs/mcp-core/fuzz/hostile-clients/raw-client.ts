import { connect, type Socket } from 'node:net';

/** A client that writes HTTP by hand, and reads only what it chooses. */
export class RawClient {
  readonly #socket: Socket;
  #text = '';

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1');
    this.#socket.on('error', () => undefined);
  }

  /** Resolves when the text has left this process, or cannot. */
  write(text: string): Promise<void> {
    return new Promise((resolve) => {
      this.#socket.write(text, () => resolve());
    });
  }

  /** Resolves with what has arrived as soon as it matches, or the connection has ended. */
  read(pattern: RegExp): Promise<string> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#socket.off('data', take).off('close', done).pause();
        resolve(this.#text);
      };
      const take = (bytes: Buffer): void => {
        this.#text += bytes.toString('latin1');
        if (pattern.test(this.#text)) done();
      };
      this.#socket.on('data', take).on('close', done).resume();
      if (this.#socket.destroyed || pattern.test(this.#text)) done();
    });
  }

  leave(): void {
    this.#socket.destroy();
  }
}

/** Returns the text of a request. */
export function request(
  method: 'POST' | 'GET',
  headers: { readonly [name: string]: string },
  body?: unknown,
): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  const lines = Object.entries({
    host: 'localhost',
    accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    'content-length': String(Buffer.byteLength(text)),
    ...headers,
  });
  return `${method} /mcp HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${text}`;
}
