/** Bytes of a piece. Node keeps longer strings outside of V8's heap. */
const PIECE_BYTES = 512 * 1024;

/**
 * Decodes whole characters, a long text piece by piece. V8 frees a string of 1 MiB that Node keeps
 * outside of its heap late, and starts a full garbage collection for every few of them.
 */
export function decodeBytes(bytes: Buffer, encoding: 'latin1' | 'utf8'): string {
  let text = '';
  for (let begin = 0; begin < bytes.length;) {
    let end = Math.min(begin + PIECE_BYTES, bytes.length);
    // Do not split a character of UTF-8.
    if (encoding === 'utf8') while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
    text += bytes.toString(encoding, begin, end);
    begin = end;
  }
  return text;
}
