import type { Writable } from 'node:stream';
import { toJsonText } from './json-text.ts';
import type { JsonRpcBatch, JsonRpcMessage } from './messages.ts';

const MAX_QUEUED_BYTES = 16 * 1024 * 1024;

/**
 * Writes one message a line. The owner of the stream listens for its errors.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio
 */
export class LineWriter {
  readonly #output: Writable;
  #drained: Promise<void> | undefined;

  constructor(output: Writable) {
    this.#output = output;
  }

  /** Whether more than 16 MiB wait for a peer that does not read. Its owner then reads nothing of the peer either until `drained`. */
  get isCongested(): boolean {
    return this.#output.writableLength > MAX_QUEUED_BYTES;
  }

  /**
   * Takes the message at once and resolves when the stream can take another, or has ended.
   * @throws Error when the stream no longer takes data; TypeError when the message cannot be serialized.
   */
  async write(message: JsonRpcMessage | JsonRpcBatch): Promise<void> {
    if (!this.#output.writable) throw new Error('The output stream is closed');
    if (this.#output.write(`${toJsonText(message)}\n`)) return;
    await this.drained();
  }

  /** Resolves when the stream can take data or has ended. */
  drained(): Promise<void> {
    if (!this.#output.writableNeedDrain || this.#output.destroyed) return Promise.resolve();
    this.#drained ??= this.#waitForDrain();
    return this.#drained;
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
