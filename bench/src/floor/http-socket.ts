import { connect, type Socket } from 'node:net';

export interface HttpResponse {
  readonly status: number;
  /** Status line and header fields, as received. */
  readonly head: string;
  readonly body: string;
}

interface Waiting {
  readonly resolve: (response: HttpResponse) => void;
  readonly reject: (error: Error) => void;
}

const LAST_CHUNK = '0\r\n\r\n';

/** A kept-alive connection with one request at a time. Reads ASCII bodies of a given length or in chunks, without validation. */
export class HttpSocket {
  readonly #socket: Socket;
  #received = '';
  #bodyAt = -1;
  #length: number | undefined;
  #waiting: Waiting | undefined;
  #isClosed = false;

  constructor(port: number) {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true }).setEncoding('latin1');
    this.#socket.on('data', (text: string) => {
      this.#receive(text);
    });
    this.#socket.on('error', () => undefined);
    this.#socket.once('close', () => {
      this.#isClosed = true;
      this.#waiting?.reject(new Error('The server closed its output'));
    });
  }

  /** Rejects when the server closes the connection. */
  exchange(request: string): Promise<HttpResponse> {
    if (this.#isClosed) return Promise.reject(new Error('The server closed its output'));
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(request, 'latin1');
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(text: string): void {
    this.#received += text;
    if (this.#bodyAt < 0 && !this.#readHead()) return;
    const isComplete =
      this.#length === undefined
        ? this.#received.endsWith(LAST_CHUNK)
        : this.#received.length >= this.#bodyAt + this.#length;
    if (isComplete) this.#finish();
  }

  #readHead(): boolean {
    const end = this.#received.indexOf('\r\n\r\n');
    if (end < 0) return false;
    this.#bodyAt = end + 4;
    const head = this.#received.slice(0, end);
    const length = fieldOf(head, 'content-length');
    const isChunked = fieldOf(head, 'transfer-encoding') !== undefined;
    this.#length = isChunked ? undefined : Number(length ?? 0);
    return true;
  }

  #finish(): void {
    const head = this.#received.slice(0, this.#bodyAt - 4);
    const body = this.#received.slice(this.#bodyAt);
    const response = {
      status: Number(head.slice(9, 12)),
      head,
      body: this.#length === undefined ? joinChunks(body) : body,
    };
    this.#received = '';
    this.#bodyAt = -1;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve(response);
  }
}

/** Returns the value of a header field; the case of its name does not matter. */
export function fieldOf(head: string, name: string): string | undefined {
  const at = head.toLowerCase().indexOf(`\r\n${name}:`);
  if (at < 0) return undefined;
  const from = at + name.length + 3;
  const end = head.indexOf('\r\n', from);
  return head.slice(from, end < 0 ? undefined : end).trim();
}

function joinChunks(text: string): string {
  const parts: string[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = text.indexOf('\r\n', at);
    const length = Number.parseInt(text.slice(at, lineEnd), 16);
    if (!(length > 0)) return parts.join('');
    parts.push(text.slice(lineEnd + 2, lineEnd + 2 + length));
    at = lineEnd + length + 4;
  }
}
