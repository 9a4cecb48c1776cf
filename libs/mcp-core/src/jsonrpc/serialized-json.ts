import { quotedLength, quotePieces } from './json-quotes.ts';

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
/** Longest memory that is kept for another text, in bytes. */
const MAX_KEPT_BYTES = 1024 * 1024;
const SOURCE = Symbol('serialized JSON');

/** Memory that the next text can use: writing to memory for the first time takes longer than to quote the text. */
let keptMemory: Buffer | undefined;

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

  /**
   * `pieces` are the JSON text in UTF-8; a piece may end inside a character. They must not change.
   * `release` is called when a long text was sent over stdio and is not kept to be sent again; nobody
   * reads the pieces after it, so that their memory can be freed long before a garbage collection.
   */
  constructor(pieces: readonly Uint8Array[], release?: () => void) {
    this.#pieces = pieces;
    this.#release = release;
  }

  /** The JSON text in UTF-8. */
  get pieces(): readonly Uint8Array[] {
    return this.#pieces;
  }

  /** The JSON text in UTF-8 on one line, as every transport needs it. */
  get line(): readonly Uint8Array[] {
    return this.#pieces.map(onOneLine);
  }

  /** The JSON text as a JSON string, in UTF-8. The bytes may change after the text was sent over stdio. */
  get quoted(): Uint8Array {
    if (this.#quoted !== undefined) return this.#quoted;
    const quoted = quote(this.#pieces);
    this.#memory = quoted?.buffer;
    this.#quoted = quoted ?? Buffer.from(JSON.stringify(this.text));
    return this.#quoted;
  }

  /** Keeps the pieces for good: they can be sent any number of times. */
  keep(): void {
    this.#release = undefined;
  }

  /** Keeps the memory of `quoted` until the matching `endWrite`. */
  beginWrite(): void {
    this.#writes += 1;
  }

  /**
   * Lets other texts use the memory of `quoted`, which was copied, as the operating system does with
   * written bytes. Only the last of several writes at once does so.
   */
  endWrite(): void {
    this.#writes -= 1;
    if (this.#writes > 0) return;
    if (this.#memory !== undefined) keepMemory(this.#memory);
    this.#memory = undefined;
    this.#quoted = undefined;
    this.#release?.();
    this.#release = undefined;
  }

  /** The JSON text. */
  get text(): string {
    return Buffer.concat(this.#pieces).toString();
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

/** Keeps the text of a result that may be sent again, if it is serialized. Returns the result. */
export function keepSerialized<Result extends { readonly structuredContent?: unknown }>(
  result: Result,
): Result {
  const { structuredContent } = result;
  if (structuredContent instanceof SerializedJson) structuredContent.keep();
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
  const memory = keptMemory;
  if (memory === undefined || memory.length < length) return Buffer.allocUnsafeSlow(length);
  keptMemory = undefined;
  return memory;
}

function keepMemory(memory: ArrayBufferLike): void {
  const isLonger = memory.byteLength > (keptMemory?.length ?? 0);
  if (isLonger && memory.byteLength <= MAX_KEPT_BYTES) keptMemory = Buffer.from(memory);
}
