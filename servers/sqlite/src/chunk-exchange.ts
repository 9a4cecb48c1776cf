import type { ServerMessage } from './executor/messages.ts';

/** The chunks of text that the server exchanges with a running operation. */
export interface ChunkStreams {
  /** Chunks for the operation; iterated only as fast as the operation asks for them. */
  readonly source?: AsyncIterable<string>;
  /** Receives the chunks of the operation; the next chunk comes after it has resolved. */
  readonly sink?: (chunk: string) => void | Promise<void>;
  /**
   * Time limit of the whole operation in milliseconds; default: none but that of each step. A step
   * is the time that the operation needs between two chunks.
   */
  readonly totalTimeoutMs?: number;
}

/** The server's side of the chunks of one operation. */
export class ChunkExchange {
  readonly #id: number;
  readonly #streams: ChunkStreams;
  #iterator: AsyncIterator<string> | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(id: number, streams: ChunkStreams) {
    this.#id = id;
    this.#streams = streams;
  }

  /** The error of the source or sink because of which the operation was aborted. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  /** Resolves with the answer to a message of the operation; never rejects. */
  async answer(
    message: { readonly kind: 'pull' } | { readonly kind: 'chunk'; readonly chunk: string },
  ): Promise<ServerMessage> {
    const id = this.#id;
    try {
      if (message.kind === 'pull') return await this.#next();
      await this.#streams.sink?.(message.chunk);
      return { kind: 'pull', id };
    } catch (error) {
      this.#failure = { error };
      return { kind: 'abort', id };
    }
  }

  /** Releases the source, when the operation ended before it. */
  close(): void {
    const closed = this.#iterator?.return?.();
    this.#iterator = undefined;
    closed?.then(undefined, () => undefined);
  }

  async #next(): Promise<ServerMessage> {
    const id = this.#id;
    this.#iterator ??= this.#streams.source?.[Symbol.asyncIterator]();
    const next = await this.#iterator?.next();
    if (next === undefined || next.done === true) return { kind: 'end', id };
    return { kind: 'chunk', id, chunk: next.value };
  }
}
