export interface HeadAndTail {
  readonly head: string;
  readonly tail: string;
  /** In UTF-8, between the two. */
  readonly missingBytes: number;
  readonly totalBytes: number;
}

/** The share of what is kept that comes from the end. */
const TAIL_SHARE = 0.25;

/** The beginning and the end of a text that is longer than `maxBytes` of UTF-8, in whole characters. */
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

/** Decodes a part of UTF-8 text without the characters that the cut split. */
export function wholeCharacters(part: Buffer): string {
  let start = 0;
  while (start < part.length && isContinuation(part[start])) start += 1;
  let end = part.length;
  while (end > start && isContinuation(part[end - 1])) end -= 1;
  // The last character stays when all of it is there.
  const isWhole = end > start && lengthOf(part[end - 1]) === part.length - end + 1;
  return part.toString('utf8', start, isWhole || end === start ? part.length : end - 1);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;
}

/** Of the character that begins with this byte, in bytes. */
function lengthOf(first = 0): number {
  if (first < 0b1000_0000) return 1;
  if (first < 0b1110_0000) return 2;
  return first < 0b1111_0000 ? 3 : 4;
}
