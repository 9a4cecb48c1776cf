import { quotedLength, quotePieces } from './json-quotes.ts';

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
/** Bytes of a JSON text from which it is sent in pieces, each of which is escaped only once. */
export const LONG_LENGTH = 32 * 1024;
/** Longest memory that is reused for another text, in bytes. */
const MAX_REUSED_BYTES = 1024 * 1024;
const SOURCE = Symbol('serialized JSON');

/** Memory that the next long text can use: writing to memory for the first time takes longer than to quote the text. */
let freeMemory: Buffer | undefined;

/**
 * Structured content of a tool whose JSON text already exists, for large results that another process
 * made. The text is sent as it is, as structured content and as text, and never parsed; as structured
 * content, spaces replace its line ends. It is not checked: the handler is responsible that it is valid JSON that fits the output schema. Middleware
 * gets the value from `toJSON`.
 */
export class SerializedJson {
  readonly #pieces: readonly Uint8Array[];
  #quoted: Uint8Array | undefined;
  /** The memory of `#quoted`, unless it is shared with other buffers. */
  #memory: ArrayBufferLike | undefined;
  /** Number of writes that use the memory of `#quoted`. */
  #writes = 0;
  #release: (() => void) | undefined;
  #isReleased = false;

  /**
   * `pieces` are the JSON text in UTF-8; a piece may end inside a character. They must not change.
   * `release` can free their memory long before a garbage collection. It is called at most once, after
   * `process.stdout` has taken or refused a result of at least 32 KiB whose text block is the same text. It is
   * not called over HTTP, for a result with its own `content`, and after `retain`.
   */
  constructor(pieces: readonly Uint8Array[], release?: () => void) {
    this.#pieces = pieces;
    this.#release = release;
  }

  /** The JSON text in UTF-8. @throws Error after its release */
  get pieces(): readonly Uint8Array[] {
    if (this.#isReleased)
      throw new Error(
        'The memory of this result was released after it was sent; call retain() on its structured content to use it again.',
      );
    return this.#pieces;
  }

  /** The JSON text in UTF-8 on one line, as every transport needs it. */
  get line(): readonly Uint8Array[] {
    return this.pieces.map(onOneLine);
  }

  /** The JSON text as a JSON string, in UTF-8. The bytes may change after the text was sent over stdio. */
  get quoted(): Uint8Array {
    if (this.#quoted !== undefined) return this.#quoted;
    const quoted = quote(this.pieces);
    this.#memory = quoted?.buffer;
    this.#quoted = quoted ?? Buffer.from(JSON.stringify(this.text));
    return this.#quoted;
  }

  /**
   * Prevents the release. A middleware that keeps a result after its request, to send or read it again,
   * must call it before the result is sent.
   */
  retain(): void {
    this.#release = undefined;
  }

  /** Reserves the memory of `quoted` until the matching `endWrite`. */
  beginWrite(): void {
    this.#writes += 1;
  }

  /**
   * Lets other texts use the memory of `quoted`, which was copied, as the operating system does with
   * written bytes, and releases the pieces. Only the last of several writes at once does so.
   */
  endWrite(): void {
    this.#writes -= 1;
    if (this.#writes > 0) return;
    if (this.#memory !== undefined) reuseMemory(this.#memory);
    this.#memory = undefined;
    this.#quoted = undefined;
    const release = this.#release;
    this.#release = undefined;
    this.#isReleased ||= release !== undefined;
    release?.();
  }

  /** The JSON text. */
  get text(): string {
    return Buffer.concat(this.pieces).toString();
  }

  /** Returns the parsed value. */
  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/** Returns a text block with the JSON text, which is decoded only when it is read. */
export function textBlockOf(source: SerializedJson): {
  readonly type: 'text';
  readonly text: string;
} {
  const block = {
    type: 'text' as const,
    get text(): string {
      return source.text;
    },
  };
  // Copies of the block, which may differ, have no source.
  return Object.defineProperty(block, SOURCE, { value: source });
}

/** Prevents the release of serialized structured content, because the result may be sent again. Returns the result. */
export function retainSerialized<Result extends { readonly structuredContent?: unknown }>(
  result: Result,
): Result {
  const { structuredContent } = result;
  if (structuredContent instanceof SerializedJson) structuredContent.retain();
  return result;
}

/**
 * Returns the bytes of the JSON of a value whose JSON text already exists: serialized structured content,
 * or the text of its text block. Returns `undefined` for any other value.
 */
export function serializedLength(value: unknown): number | undefined {
  if (!(value instanceof SerializedJson)) return sourceOf(value)?.quoted.byteLength;
  return value.pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
}

/** Returns the content whose JSON text is the text of a block. */
export function sourceOf(block: unknown): SerializedJson | undefined {
  if (typeof block !== 'object' || block === null || !(SOURCE in block)) return undefined;
  return block[SOURCE] as SerializedJson; // Set by textBlockOf.
}

/** Returns a JSON text as a JSON string; `undefined` when that would make it longer by more than a third. */
function quote(pieces: readonly Uint8Array[]): Uint8Array | undefined {
  const length = pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
  return quotePieces(pieces, takeMemory(quotedLength(length)));
}

/** Replaces line ends by spaces: JSON has them between values only. */
function onOneLine(piece: Uint8Array): Uint8Array {
  if (!piece.includes(LF) && !piece.includes(CR)) return piece;
  return piece.map((code) => (code === LF || code === CR ? SPACE : code));
}

function takeMemory(length: number): Buffer {
  const memory = freeMemory;
  // Only a long text gives it back: the others are not sent in pieces.
  if (length < LONG_LENGTH || memory === undefined || memory.length < length)
    return Buffer.allocUnsafeSlow(length);
  freeMemory = undefined;
  return memory;
}

function reuseMemory(memory: ArrayBufferLike): void {
  const isLonger = memory.byteLength > (freeMemory?.length ?? 0);
  if (isLonger && memory.byteLength <= MAX_REUSED_BYTES) freeMemory = Buffer.from(memory);
}
