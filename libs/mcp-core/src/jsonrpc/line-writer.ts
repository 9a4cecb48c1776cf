import type { Writable } from 'node:stream';
import { quotedSource, toJsonParts } from './json-parts.ts';
import { toJsonText } from './json-text.ts';
import type { JsonRpcBatch, JsonRpcMessage } from './messages.ts';
import type { SerializedJson } from './serialized-json.ts';

const MAX_QUEUED_BYTES = 16 * 1024 * 1024;
/**
 * Length from which a message is written separately: joining it with its newline or other messages
 * would copy it again.
 */
const LARGE_LENGTH = 64 * 1024;

/**
 * Writes one message per line. Messages of the same turn of the event loop reach the stream
 * together after the turn's microtasks: one system call for many messages. The owner of the stream
 * handles its errors, and calls `flush` or `emptied` before releasing the stream.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio
 */
export class LineWriter {
  readonly #output: Writable;
  readonly #copies: boolean;
  #lines = '';
  #isFlushPlanned = false;
  #waitingResponsesLength = 0;
  #drained: Promise<void> | undefined;

  /**
   * `copies`: whether the stream no longer uses the bytes of a chunk when it calls back, because the
   * operating system has copied them.
   */
  constructor(output: Writable, copies = false) {
    this.#output = output;
    this.#copies = copies;
  }

  /**
   * Whether more than 16 MiB wait for the peer to read. A server then stops reading until
   * `drained`.
   */
  get isCongested(): boolean {
    return this.#output.writableLength > MAX_QUEUED_BYTES;
  }

  /**
   * Whether responses of more than 16 MiB wait for the peer to read. A client stops reading only
   * then: a server that waits for its responses to be read would never read the requests that wait
   * here.
   */
  get isCongestedByResponses(): boolean {
    return this.#output.writableNeedDrain && this.#waitingResponsesLength > MAX_QUEUED_BYTES;
  }

  /**
   * Serializes and queues the message before returning. Returns `undefined` when the stream can take
   * another immediately, otherwise a promise that resolves when it can, or has ended. Rejects with
   * an Error when the stream no longer takes data, with a TypeError or RangeError when the message
   * cannot be serialized.
   */
  write(message: JsonRpcMessage | JsonRpcBatch): Promise<void> | undefined {
    if (!this.#output.writable) return Promise.reject(new Error('The output stream is closed'));
    try {
      const parts = toJsonParts(message);
      const text = parts === undefined ? toJsonText(message) : '';
      const length =
        parts === undefined ? text.length : parts.reduce((sum, part) => sum + part.length, 0);
      if (!this.#output.writableNeedDrain) this.#waitingResponsesLength = 0;
      if (!('method' in message)) this.#waitingResponsesLength += length;
      const source = parts === undefined || !this.#copies ? undefined : quotedSource(message);
      if (parts !== undefined || length >= LARGE_LENGTH) this.#writeApart(parts ?? [text], source);
      else this.#append(text);
    } catch (error) {
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors
      return Promise.reject(error);
    }
    return this.#output.writableNeedDrain ? this.drained() : undefined;
  }

  /** Runs `work` and passes the messages that it writes to the stream together when it returns. */
  together(work: () => void): void {
    this.#isFlushPlanned = true;
    try {
      work();
    } finally {
      this.#isFlushPlanned = false;
      this.flush();
    }
  }

  /** Passes all queued messages to the stream. */
  flush(): void {
    const lines = this.#lines;
    this.#lines = '';
    if (lines !== '' && this.#output.writable) this.#output.write(lines);
  }

  /** Resolves when all queued messages have left the process, or when they never will. */
  emptied(): Promise<void> {
    this.flush();
    if (this.#output.writableLength === 0 || !this.#output.writable) return Promise.resolve();
    return new Promise((resolve) => {
      this.#output.write('', () => {
        resolve();
      });
    });
  }

  /** Resolves when the stream can take data or has ended. */
  drained(): Promise<void> {
    if (!this.#output.writableNeedDrain || this.#output.destroyed) return Promise.resolve();
    this.#drained ??= this.#waitForDrain();
    return this.#drained;
  }

  /** `source` can use the memory of its text again when the parts were written. */
  #writeApart(parts: readonly (string | Uint8Array)[], source: SerializedJson | undefined): void {
    this.flush();
    source?.beginWrite();
    this.#output.cork();
    for (const part of parts) this.#output.write(part);
    this.#output.write('\n', () => source?.endWrite());
    this.#output.uncork();
  }

  #append(text: string): void {
    this.#lines += `${text}\n`;
    if (this.#lines.length >= this.#output.writableHighWaterMark) this.flush();
    else if (!this.#isFlushPlanned) this.#planFlush();
  }

  #planFlush(): void {
    this.#isFlushPlanned = true;
    process.nextTick(() => {
      this.#isFlushPlanned = false;
      this.flush();
    });
  }

  #waitForDrain(): Promise<void> {
    return new Promise((resolve) => {
      const finish = (): void => {
        this.#output.off('drain', finish).off('close', finish).off('error', finish);
        this.#drained = undefined;
        resolve();
      };
      this.#output.on('drain', finish).on('close', finish).on('error', finish);
    });
  }
}
