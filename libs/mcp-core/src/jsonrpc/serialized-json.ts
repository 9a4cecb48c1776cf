const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
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

  /** `pieces` are the JSON text in UTF-8; a piece may end inside a character. They must not change. */
  constructor(pieces: readonly Uint8Array[]) {
    this.#pieces = pieces;
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
    if (this.#writes > 0 || this.#memory === undefined) return;
    keepMemory(this.#memory);
    this.#memory = undefined;
    this.#quoted = undefined;
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

/**
 * Returns a JSON text as a JSON string. Returns `undefined` for a text with line ends, or with so many
 * quotes and backslashes that it would become longer by more than a third.
 */
function quote(pieces: readonly Uint8Array[]): Uint8Array | undefined {
  const length = pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
  const bytes = takeMemory(Math.ceil((length * 4) / 3) + 4);
  let escapesLeft = bytes.length - length - 2;
  let end = 0;
  bytes[end++] = QUOTE;
  for (const piece of pieces) {
    for (let index = 0; index < piece.length; index += 1) {
      const code = piece[index] ?? 0;
      const isEscaped = code === QUOTE || code === BACKSLASH;
      if (code < SPACE || (isEscaped && escapesLeft === 0)) return undefined;
      if (isEscaped) {
        escapesLeft -= 1;
        bytes[end++] = BACKSLASH;
      }
      bytes[end++] = code;
    }
  }
  bytes[end++] = QUOTE;
  return bytes.subarray(0, end);
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
