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
  let sum = 2;
  let at = 0;
  // An unrolled loop takes a third of the time.
  for (const end = bytes.length - 3; at < end; at += 4) {
    sum +=
      (jsonCosts[bytes[at] ?? 0] ?? 0) +
      (jsonCosts[bytes[at + 1] ?? 0] ?? 0) +
      (jsonCosts[bytes[at + 2] ?? 0] ?? 0) +
      (jsonCosts[bytes[at + 3] ?? 0] ?? 0);
  }
  for (; at < bytes.length; at++) sum += jsonCosts[bytes[at] ?? 0] ?? 0;
  return sum;
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
