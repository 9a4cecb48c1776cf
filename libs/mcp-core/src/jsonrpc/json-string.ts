import { MIN_SPARE_BYTES, quotePieces } from './json-quotes.ts';

let encoder: InstanceType<typeof TextEncoder> | undefined;

/**
 * Returns the bytes of `JSON.stringify(text)`. A long ASCII text with few escapes takes half of the
 * time, and leaves no string to collect.
 */
export function toJsonBytes(text: string): Buffer {
  return quoteAscii(text) ?? Buffer.from(JSON.stringify(text));
}

/**
 * Writes the text at the end of a buffer and escapes it towards the beginning. Returns `undefined` for a
 * text that is not ASCII, or whose escapes need about a quarter of its length.
 */
function quoteAscii(text: string): Buffer | undefined {
  const { length } = text;
  const begin = Math.ceil(length / 4) + MIN_SPARE_BYTES;
  const bytes = Buffer.allocUnsafeSlow(begin + length);
  const written = bytes.subarray(begin);
  encoder ??= new TextEncoder();
  const counts = encoder.encodeInto(text, written);
  return counts.read === length && counts.written === length
    ? quotePieces([written], bytes)
    : undefined;
}
