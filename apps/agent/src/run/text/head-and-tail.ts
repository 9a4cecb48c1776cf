export interface HeadAndTail {
  readonly head: string;
  readonly tail: string;
  /** Bytes of UTF-8 left out between head and tail. */
  readonly missingBytes: number;
  readonly totalBytes: number;
}

/** Share of the kept bytes that comes from the end of the text. */
const TAIL_SHARE = 0.25;

/**
 * Returns the beginning and the end of a text that is longer than `maxBytes` of UTF-8, in whole
 * characters.
 */
export function headAndTail(text: string, maxBytes: number): HeadAndTail {
  const bytes = Buffer.from(text);
  const tailBytes = Math.floor(maxBytes * TAIL_SHARE);
  const head = wholeCharacters(bytes.subarray(0, maxBytes - tailBytes));
  const tail = wholeCharacters(bytes.subarray(bytes.length - tailBytes));
  return {
    head,
    tail,
    missingBytes: bytes.length - Buffer.byteLength(head) - Buffer.byteLength(tail),
    totalBytes: bytes.length,
  };
}

/** Decodes a part of UTF-8 text without the characters that are cut at its ends. */
export function wholeCharacters(part: Buffer): string {
  let start = 0;
  while (start < part.length && isContinuation(part[start])) start += 1;
  let end = part.length;
  while (end > start && isContinuation(part[end - 1])) end -= 1;
  // The last character is kept when all of its bytes are there.
  const isWhole = end > start && lengthOf(part[end - 1]) === part.length - end + 1;
  return part.toString('utf8', start, isWhole || end === start ? part.length : end - 1);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;
}

/** Returns the length in bytes of the character that begins with this byte. */
function lengthOf(first = 0): number {
  if (first < 0b1000_0000) return 1;
  if (first < 0b1110_0000) return 2;
  return first < 0b1111_0000 ? 3 : 4;
}
