import { Duplex } from 'node:stream';

/** Small, so that a client that does not read stops the server after a few messages. */
const BUFFERED_BYTES = 2048;

/** End of a connection in memory that behaves like a socket of TCP. */
export class PairedSocket extends Duplex {
  readonly #pieces: number;
  #other: PairedSocket | undefined;
  #reads: 'all' | 'nothing' | 'discarded' = 'all';
  #waiting: (() => void) | undefined;

  /** Each write arrives in so many pieces, each in a turn of its own. */
  private constructor(pieces: number) {
    super({ highWaterMark: BUFFERED_BYTES });
    this.#pieces = pieces;
  }

  /** Returns the ends of the client and of the server. */
  static connect(): readonly [PairedSocket, PairedSocket] {
    const [client, server] = [new PairedSocket(3), new PairedSocket(1)];
    client.#other = server;
    server.#other = client;
    return [client, server];
  }

  /** Leaves everything that arrives from now on unread. */
  stopReading(): void {
    this.#reads = 'nothing';
  }

  /** Ends this side and discards the rest of the other. */
  finish(): void {
    this.#reads = 'discarded';
    this.end();
    this.#resume();
  }

  override _read(): void {
    this.#resume();
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    const length = Math.ceil(chunk.length / this.#pieces);
    const next = (from: number): void => {
      if (from >= chunk.length) done();
      else
        this.#deliver(chunk.subarray(from, from + length), () => {
          if (from + length >= chunk.length) done();
          else setImmediate(next, from + length);
        });
    };
    next(0);
  }

  override _final(done: () => void): void {
    this.#other?.push(null);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const other = this.#other;
    this.#other = undefined;
    setImmediate(() => {
      if (other?.destroyed === false) other.destroy(resetError());
    });
    done(error);
  }

  // `node:http` sets options of its sockets.
  setTimeout(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  #resume(): void {
    const resume = this.#waiting;
    this.#waiting = undefined;
    resume?.();
  }

  #deliver(bytes: Buffer, done: () => void): void {
    const other = this.#other;
    if (other === undefined || other.destroyed) return;
    if (other.#reads === 'nothing') return;
    if (other.#reads === 'discarded' || other.push(bytes)) done();
    else other.#waiting = done;
  }
}

function resetError(): Error {
  return Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
}
