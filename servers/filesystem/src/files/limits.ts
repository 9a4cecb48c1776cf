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

const FEED = 0x0a;
const RETURN = 0x0d;

/** Bytes of JSON for each byte of UTF-8. */
const jsonCosts = new Uint8Array(256).fill(1).fill(6, 0, 0x20);
for (const escaped of '\b\t\n\f\r"\\') jsonCosts[escaped.charCodeAt(0)] = 2;

/** Sizes of a text in UTF-8, or in another encoding whose first 128 characters are those of ASCII. */
export interface TextCounts {
  /** Bytes that UTF-8 takes in a JSON message. */
  readonly jsonBytes: number;
  /** Line feeds. */
  readonly feeds: number;
  /** Line feeds after a carriage return. */
  readonly pairs: number;
  /** Carriage returns. */
  readonly returns: number;
}

/**
 * Returns the bytes that a text takes in a JSON message. The text is well-formed, or already UTF-8.
 */
export function jsonBytes(text: string | Buffer): number {
  return countText(typeof text === 'string' ? Buffer.from(text) : text).jsonBytes;
}

/** Counts the bytes and line ends of a text in one pass. */
export function countText(bytes: Buffer): TextCounts {
  const begin = Math.min(-bytes.byteOffset & 3, bytes.length);
  const wordCount = (bytes.length - begin) >> 2;
  // A short text may end before the first aligned byte.
  const words =
    wordCount === 0
      ? new Int32Array(0)
      : new Int32Array(bytes.buffer, bytes.byteOffset + begin, wordCount);
  const end = begin + words.length * 4;
  const counts = { jsonBytes: 2 + bytes.length, feeds: 0, pairs: 0, returns: 0 };
  countEscapes(bytes, 0, begin, counts);
  for (let index = 0; index < words.length; index++) {
    if (!hasEscape(words[index] ?? 0)) continue;
    const at = begin + index * 4;
    countEscapes(bytes, at, at + 4, counts);
  }
  countEscapes(bytes, end, bytes.length, counts);
  return counts;
}

function countEscapes(
  bytes: Buffer,
  begin: number,
  end: number,
  counts: { -readonly [K in keyof TextCounts]: number },
): void {
  for (let at = begin; at < end; at++) {
    const byte = bytes[at] ?? 0;
    counts.jsonBytes += (jsonCosts[byte] ?? 0) - 1;
    if (byte === FEED) {
      counts.feeds += 1;
      if (at > 0 && bytes[at - 1] === RETURN) counts.pairs += 1;
    } else if (byte === RETURN) {
      counts.returns += 1;
    }
  }
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
