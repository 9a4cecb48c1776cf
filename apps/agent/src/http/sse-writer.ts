import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type { Clock } from '../ports/clock.ts';
import type { StreamConnection, StreamConnections } from './stream-connections.ts';

export interface SseFrame {
  /** Event id. Absent for frames that are not replayed to a reconnecting client. */
  readonly id?: number;
  readonly event: string;
  readonly data: unknown;
}

export interface SseOptions {
  readonly clock: Clock;
  readonly headers?: { readonly [name: string]: string };
  /** Given: the writer takes the connection from the response, if it can. */
  readonly connections?: StreamConnections;
}

/**
 * Milliseconds without progress after which a slow reader is disconnected. It reconnects with its
 * last event id.
 */
export const STALL_MS = 60_000;

/** An encoded frame: bytes that many streams can write without a copy, or a string for one stream, which needs no buffer. */
export interface EncodedFrame {
  readonly text: Uint8Array | string;
  /** The text as a chunk of a chunked response. */
  readonly chunk: Uint8Array | string;
}

/** Returns a frame for one stream. */
export function encodeFrame(frame: SseFrame): EncodedFrame {
  return encode(textOf(frame));
}

/** Returns the text of a frame as it is sent. */
export function textOf({ id, event, data }: SseFrame): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/**
 * Returns the text of one or more frames as one that many streams write. `isKept`: its bytes are not
 * a part of Node's pool, which would be kept as a whole for as long as the frame.
 */
export function sharedFrame(text: string, { isKept = false } = {}): EncodedFrame {
  const chunk = String(encode(text).chunk);
  const size = Buffer.byteLength(chunk);
  const bytes = isKept ? Buffer.allocUnsafeSlow(size) : Buffer.allocUnsafe(size);
  bytes.write(chunk);
  return { chunk: bytes, text: bytes.subarray(bytes.indexOf('\n') + 1, -2) };
}

/** Joins frames that many streams write, so that each writes one buffer. */
export function joinFrames(frames: readonly EncodedFrame[]): readonly EncodedFrame[] {
  if (frames.length < 2) return frames;
  const bytes = (part: Uint8Array | string): Uint8Array =>
    typeof part === 'string' ? Buffer.from(part) : part;
  return [
    {
      text: Buffer.concat(frames.map(({ text }) => bytes(text))),
      chunk: Buffer.concat(frames.map(({ chunk }) => bytes(chunk))),
    },
  ];
}

/** Milliseconds after which a client whose connection ended reconnects. */
const RECONNECT_AFTER_MS = 1000;

/** Milliseconds that frames wait for others to be sent with. A commit and the next of the same run are often closer together. */
const GATHER_MS = 1;

const RETRY = encode(`retry: ${RECONNECT_AFTER_MS}\n\n`);

const KEEP_ALIVE = encode(': keep-alive\n\n');

/** @see https://www.rfc-editor.org/rfc/rfc9112#section-7.1 */
function encode(text: string): EncodedFrame {
  return { text, chunk: `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n` };
}

function uncork(stream: Writable): void {
  stream.uncork();
}

/** Writes server-sent events and waits for a slow reader instead of buffering. @see https://html.spec.whatwg.org/multipage/server-sent-events.html */
export class SseWriter {
  readonly #clock: Clock;
  /** Response that the writer has not taken the connection from. */
  readonly #response: ServerResponse | undefined;
  /** Connection that the writer has taken. */
  readonly #taken: StreamConnection | undefined;
  /** Whether this writer and not the response divides the body into chunks. */
  readonly #writesChunks: boolean;
  /**
   * Stream of the body: the socket for own chunks, because the response would keep every write until
   * the next tick, which takes much memory with a thousand readers.
   */
  readonly #body: Writable;
  /** Emits `close` when the client has disconnected: the response, or the socket that was taken from it. */
  readonly #client: Writable;

  constructor(response: ServerResponse, { clock, headers = {}, connections }: SseOptions) {
    this.#clock = clock;
    const all = {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      ...headers,
    };
    for (const [name, value] of Object.entries(all)) response.setHeader(name, value);
    response.statusCode = 200;
    response.flushHeaders();
    const { socket } = response;
    this.#taken = connections?.take(response);
    if (this.#taken === undefined) {
      this.#response = response;
      this.#writesChunks = response.chunkedEncoding && socket instanceof Socket;
      if (this.#writesChunks) response.chunkedEncoding = false;
      this.#body = this.#writesChunks && socket !== null ? socket : response;
      this.#client = response;
    } else {
      this.#writesChunks = true;
      this.#body = this.#taken.socket;
      this.#client = this.#taken.socket;
    }
    this.push(RETRY);
  }

  /** Whether the writer keeps neither the response nor its request. */
  get hasTakenConnection(): boolean {
    return this.#taken !== undefined;
  }

  get closed(): boolean {
    return this.#client.closed || this.#client.destroyed;
  }

  /**
   * Calls back once when the client has disconnected, also if it has before. Returns a function to
   * call at the end of the stream, because the connection can go on without it.
   */
  onClose(callback: () => void): () => void {
    this.#client.once('close', callback);
    if (this.#client.closed) callback();
    return () => this.#client.off('close', callback);
  }

  /** Writes a frame. Resolves when the reader can take more or has disconnected. */
  async write(frame: SseFrame): Promise<void> {
    if (!this.push(encodeFrame(frame))) await this.drained();
  }

  /** Writes a frame. Returns false when the next write should await `drained`. */
  push({ text, chunk }: EncodedFrame): boolean {
    // The socket of a client that has ended its side takes nothing more and closes soon.
    if (this.closed || !this.#body.writable) return true;
    return this.#body.write(this.#writesChunks ? chunk : text);
  }

  /**
   * Writes frames together; with `isGathering` also with those of the next millisecond, which saves
   * system calls but keeps the frames in memory. Returns false when the next write should await
   * `drained`.
   */
  pushAll(
    frames: readonly EncodedFrame[],
    { isGathering }: { readonly isGathering: boolean },
  ): boolean {
    const fewest = isGathering ? 1 : 2;
    if (frames.length < fewest || this.#body.writableCorked > 0) return this.#pushEach(frames);
    this.#body.cork();
    const canTakeMore = this.#pushEach(frames);
    if (isGathering) setTimeout(uncork, GATHER_MS, this.#body);
    else this.#body.uncork();
    return canTakeMore;
  }

  #pushEach(frames: readonly EncodedFrame[]): boolean {
    let canTakeMore = true;
    for (const frame of frames) canTakeMore = this.push(frame);
    return canTakeMore;
  }

  /** Resolves when the reader can take more or has disconnected. */
  async drained(): Promise<void> {
    if (this.closed || !this.#body.writableNeedDrain) return;
    const cancelStall = this.#clock.after(STALL_MS, () => this.destroy());
    await new Promise<void>((resolve) => {
      const done = (): void => {
        this.#body.off('drain', done);
        this.#client.off('close', done);
        resolve();
      };
      this.#body.once('drain', done);
      this.#client.once('close', done);
    });
    cancelStall();
  }

  /** Writes a comment that keeps the connection alive, unless earlier output is still pending. */
  keepAlive(): void {
    if (!this.closed && !this.#body.writableNeedDrain) this.push(KEEP_ALIVE);
  }

  end(): void {
    this.#taken?.end();
    if (this.#response === undefined) return;
    if (this.#writesChunks) this.#response.chunkedEncoding = true;
    this.#response.end();
  }

  /** Disconnects the client. */
  destroy(): void {
    this.#client.destroy();
  }
}
