/** Sizes that bound one call. */
export interface Limits {
  /** Maximum number of bytes of text that one read returns; 1 KiB to 1.5 MiB, default 256 KiB. */
  readonly maxReadBytes: number;
  /**
   * Maximum number of entries of one page of a listing or of one search; 1 to 10000, default 2000.
   */
  readonly maxEntries: number;
  /**
   * Maximum number of bytes of JSON in one result, which has its text twice, in `content` and in
   * `structuredContent`; 64 KiB to 3 MiB, default 1 MiB.
   */
  readonly maxResultBytes: number;
}

/** Default of `Limits.maxResultBytes`. */
export const resultBudgetBytes = 1024 * 1024;

/**
 * Maximum number of bytes of JSON of any result, also of prompts: no message has 4 MiB. Tools and
 * resources keep to `Limits.maxResultBytes` by themselves.
 */
export const sentBytesLimit = 4 * 1024 * 1024 - 64 * 1024;

export const defaultLimits: Limits = {
  maxReadBytes: 256 * 1024,
  maxEntries: 2000,
  maxResultBytes: resultBudgetBytes,
};

/** Bytes of JSON for each byte of UTF-8. */
const jsonCosts = new Uint8Array(256).fill(1).fill(6, 0, 0x20);
for (const escaped of '\b\t\n\f\r"\\') jsonCosts[escaped.charCodeAt(0)] = 2;

/**
 * Returns the bytes that a text takes in a JSON message. The text is well-formed, or already UTF-8.
 */
export function jsonBytes(text: string | Buffer): number {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const begin = Math.min(-bytes.byteOffset & 3, bytes.length);
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + begin, (bytes.length - begin) >> 2);
  const end = begin + words.length * 4;
  let sum = 2 + words.length * 4 + costOf(bytes, 0, begin) + costOf(bytes, end, bytes.length);
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? 0;
    if (!hasEscape(word)) continue;
    sum +=
      (jsonCosts[word & 0xff] ?? 0) +
      (jsonCosts[(word >> 8) & 0xff] ?? 0) +
      (jsonCosts[(word >> 16) & 0xff] ?? 0) +
      (jsonCosts[word >>> 24] ?? 0) -
      4;
  }
  return sum;
}

function costOf(bytes: Buffer, begin: number, end: number): number {
  let sum = 0;
  for (let at = begin; at < end; at++) sum += jsonCosts[bytes[at] ?? 0] ?? 0;
  return sum;
}

/**
 * Whether one of the four bytes of a word is below 0x20, a quotation mark or a backslash: four
 * bytes at once take a quarter of the time.
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

/** Returns the longest start of a text that takes at most `maxBytes` in a JSON message. */
export function startWithin(text: string, maxJsonBytes: number): string {
  const bytes = Buffer.from(text);
  let sum = 2;
  for (let end = 0; end < bytes.length; end++) {
    sum += jsonCosts[bytes[end] ?? 0] ?? 0;
    if (sum <= maxJsonBytes) continue;
    // Do not split a character.
    while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
    return bytes.subarray(0, end).toString();
  }
  return text;
}
