import type { Readable, Writable } from 'node:stream';
import { LineReader } from './line-reader.ts';
import { LineWriter } from './line-writer.ts';
import { lengthLimit } from './message-limits.ts';
import type { JsonRpcBatch, JsonRpcMessage } from './messages.ts';
import type { Transport, TransportReceiver } from './transport.ts';
import { withinLimit } from './bounded-waits.ts';

/** Streams of a `StreamTransport`, and its limit. */
export interface StreamTransportOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Longest accepted line in bytes. */
  readonly maxLineBytes: number;
  /**
   * Whether the output no longer uses the bytes of a chunk when it calls back, because the operating
   * system has copied them; default false.
   */
  readonly copiesOutput?: boolean | undefined;
}

/** Milliseconds that closing waits for the peer to read the remaining output. */
const LAST_WRITE_MS = 200;

/**
 * Newline-delimited JSON over a pair of byte streams. The connection ends when either stream fails;
 * after the end of the input the peer may still read. Closing detaches from the streams and leaves
 * them to their owner, who may exit immediately: all output has left the process, unless the peer
 * did not read for 200 ms.
 */
export class StreamTransport implements Transport {
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #writer: LineWriter;
  readonly #maxLineBytes: number;
  readonly #detachers: (() => void)[] = [];
  #receiver: TransportReceiver | undefined;
  #closing: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: StreamTransportOptions) {
    this.#input = options.input;
    this.#output = options.output;
    this.#writer = new LineWriter(options.output, options.copiesOutput);
    this.#maxLineBytes = options.maxLineBytes;
  }

  start(receiver: TransportReceiver): Promise<void> {
    this.#receiver = receiver;
    const reader = new LineReader(
      {
        message: (value) => {
          if (this.#isOpen) receiver.message(value);
        },
        unreadable: (problem) => {
          if (this.#isOpen) receiver.unreadable(problem);
        },
      },
      lengthLimit(this.#maxLineBytes),
    );
    this.#listen(this.#input, 'data', (chunk: Uint8Array) => {
      this.#writer.together(() => reader.push(chunk));
      if (this.#writer.isCongested) this.#pauseUntilDrained();
    });
    this.#listen(this.#input, 'end', () => {
      reader.end();
      if (receiver.inputEnded === undefined) this.#finish();
      else receiver.inputEnded();
    });
    this.#listen(this.#input, 'close', () => {
      if (!this.#input.readableEnded) this.#finish();
    });
    this.#listen(this.#output, 'close', () => {
      this.#finish();
    });
    this.#input.on('error', (error) => {
      this.#finish(error);
    });
    this.#output.on('error', (error) => {
      this.#finish(error);
    });
    return Promise.resolve();
  }

  send(message: JsonRpcMessage | JsonRpcBatch): Promise<void> | undefined {
    return this.#isOpen
      ? this.#writer.write(message)
      : Promise.reject(new Error('The connection is closed'));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  get #isOpen(): boolean {
    return this.#closing === undefined && !this.#isClosed;
  }

  async #close(): Promise<void> {
    if (!this.#isClosed) await withinLimit(this.#writer.emptied(), LAST_WRITE_MS);
    this.#finish();
  }

  #listen(stream: Readable | Writable, event: string, listener: (chunk: Uint8Array) => void): void {
    stream.on(event, listener);
    this.#detachers.push(() => stream.off(event, listener));
  }

  #pauseUntilDrained(): void {
    this.#input.pause();
    void this.#writer.drained().then(() => this.#isClosed || this.#input.resume());
  }

  /** Keeps the error listeners: a late EPIPE must not crash the process. */
  #finish(error?: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const detach of this.#detachers.splice(0)) detach();
    this.#input.pause();
    this.#receiver?.closed(error);
  }
}
