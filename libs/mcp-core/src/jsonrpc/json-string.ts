const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** The letter of each escape of two characters, by the code of the escaped character. */
const SHORT_ESCAPES = new Uint8Array(256);
for (const escaped of '\b\t\n\f\r"\\')
  SHORT_ESCAPES[escaped.charCodeAt(0)] = JSON.stringify(escaped).charCodeAt(2);
/** Bytes that the four bytes of a word need at most, and the closing quotation mark. */
const MAX_WORD_BYTES = 4 * 6 + 1;

let encoder: InstanceType<typeof TextEncoder> | undefined;

/**
 * Returns the bytes of `JSON.stringify(text)`. A long ASCII text with few escapes takes half of the
 * time, and leaves no string to collect.
 */
export function toJsonBytes(text: string): Buffer {
  return escapeAscii(text) ?? Buffer.from(JSON.stringify(text));
}

/**
 * Writes the text at the end of a buffer and escapes it towards the beginning, four bytes at once.
 * Returns `undefined` for a text that is not ASCII, or whose escapes need more than the quarter that
 * the buffer is longer.
 */
function escapeAscii(text: string): Buffer | undefined {
  const { length } = text;
  const wordCount = Math.ceil(length / 4);
  const begin = Math.ceil(wordCount / 4) * 4 + 2 * MAX_WORD_BYTES + 2;
  const size = begin + wordCount * 4;
  const bytes = Buffer.allocUnsafeSlow(size);
  encoder ??= new TextEncoder();
  const { read, written } = encoder.encodeInto(text, bytes.subarray(begin));
  if (read !== length || written !== length) return undefined;
  const padding = wordCount * 4 - length;
  bytes.fill(0x20, size - padding);
  const view = new DataView(bytes.buffer, bytes.byteOffset, size);
  bytes[0] = QUOTE;
  let end = 1;
  for (let at = begin; at < size; at += 4) {
    const word = view.getInt32(at, true);
    if (!hasEscape(word)) {
      view.setInt32(end, word, true);
      end += 4;
      continue;
    }
    // The escapes must not reach the bytes that follow.
    if (end + MAX_WORD_BYTES > at + 4) return undefined;
    for (let shift = 0; shift < 32; shift += 8)
      end = writeEscaped(bytes, end, (word >> shift) & 0xff);
  }
  bytes[end - padding] = QUOTE;
  return bytes.subarray(0, end - padding + 1);
}

/** Writes a character as it is in a JSON string. Returns the index after it. */
function writeEscaped(bytes: Buffer, at: number, code: number): number {
  const escape = SHORT_ESCAPES[code] ?? 0;
  if (escape !== 0) {
    bytes[at] = BACKSLASH;
    bytes[at + 1] = escape;
    return at + 2;
  }
  if (code >= 0x20) {
    bytes[at] = code;
    return at + 1;
  }
  return at + bytes.write(`\\u00${code.toString(16).padStart(2, '0')}`, at);
}

/**
 * Whether one of the four bytes of a word is below 0x20, a quotation mark or a backslash.
 * @see https://graphics.stanford.edu/~seander/bithacks.html#HasLessInWord
 */
function hasEscape(word: number): boolean {
  const quotes = word ^ 0x22222222;
  const backslashes = word ^ 0x5c5c5c5c;
  const found =
    ((word - 0x20202020) & ~word) |
    ((quotes - 0x01010101) & ~quotes) |
    ((backslashes - 0x01010101) & ~backslashes);
  return (found & 0x80808080) !== 0;
}
