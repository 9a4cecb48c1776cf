const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SOURCE = Symbol('serialized JSON');

/**
 * Structured content of a tool whose JSON text already exists, for large results that another process
 * made. The text is sent as it is, as structured content and as text, and never parsed. It is not
 * checked: the handler is responsible that it is valid JSON that fits the output schema. Middleware
 * gets the value from `toJSON`.
 */
export class SerializedJson {
  readonly #pieces: readonly Uint8Array[];
  #quoted: Uint8Array | undefined;

  /** `pieces` are the JSON text in UTF-8; a piece may end inside a character. They must not change. */
  constructor(pieces: readonly Uint8Array[]) {
    this.#pieces = pieces;
  }

  /** The JSON text in UTF-8. */
  get pieces(): readonly Uint8Array[] {
    return this.#pieces;
  }

  /** The JSON text as a JSON string, in UTF-8. */
  get quoted(): Uint8Array {
    this.#quoted ??= quote(this.#pieces) ?? Buffer.from(JSON.stringify(this.text));
    return this.#quoted;
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
  const bytes = Buffer.allocUnsafeSlow(Math.ceil((length * 4) / 3) + 4);
  const last = bytes.length - 3;
  let end = 0;
  bytes[end++] = QUOTE;
  for (const piece of pieces) {
    for (let index = 0; index < piece.length; index += 1) {
      const code = piece[index] ?? 0;
      if (code < SPACE || end > last) return undefined;
      if (code === QUOTE || code === BACKSLASH) bytes[end++] = BACKSLASH;
      bytes[end++] = code;
    }
  }
  bytes[end++] = QUOTE;
  return bytes.subarray(0, end);
}
