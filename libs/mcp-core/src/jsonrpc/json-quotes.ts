const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** The letter of each escape of two characters, by the code of the escaped character. */
const SHORT_ESCAPES = new Uint8Array(256);
for (const escaped of '\b\t\n\f\r"\\')
  SHORT_ESCAPES[escaped.charCodeAt(0)] = JSON.stringify(escaped).charCodeAt(2);
/** Bytes that an escape takes at most, in addition to its character. */
const MAX_ADDED_BYTES = 5;
/** Bytes of the quotation marks, and of an escape that is the only one of a short text. */
export const MIN_SPARE_BYTES = 2 + 2 * MAX_ADDED_BYTES;

/** Returns the number of bytes that `quotePieces` needs for a text whose escapes add a third. */
export function quotedLength(length: number): number {
  return Math.ceil((length * 4) / 3) + MIN_SPARE_BYTES;
}

/**
 * Writes UTF-8 bytes as a JSON string into `target`, whose end the only piece may be. Returns what it
 * wrote; `undefined` when the escapes need more than the bytes by which `target` is longer.
 */
export function quotePieces(pieces: readonly Uint8Array[], target: Buffer): Buffer | undefined {
  const view = new DataView(target.buffer, target.byteOffset, target.byteLength);
  let spare = pieces.reduce((left, piece) => left - piece.byteLength, target.byteLength - 2);
  let end = 1;
  for (const piece of pieces) {
    const next = escapeInto(view, end, piece, spare);
    if (next === undefined) return undefined;
    spare -= next - end - piece.byteLength;
    end = next;
  }
  target[0] = target[end] = QUOTE;
  return target.subarray(0, end + 1);
}

/** Escapes a piece, up to four bytes at once. Returns the index after it; `undefined` when `spare` bytes might not suffice. */
function escapeInto(
  target: DataView,
  begin: number,
  piece: Uint8Array,
  spare: number,
): number | undefined {
  const { byteLength } = piece;
  const source = new DataView(piece.buffer, piece.byteOffset, byteLength);
  // The greatest difference of the two indices with which the longest escape still fits.
  const limit = begin + spare - MAX_ADDED_BYTES;
  let end = begin;
  let at = 0;
  while (at < byteLength) {
    let code: number;
    if (at + 4 <= byteLength) {
      const word = source.getInt32(at, true);
      target.setInt32(end, word, true);
      const escapes = escapesIn(word);
      if (escapes === 0) {
        at += 4;
        end += 4;
        continue;
      }
      // The lowest bit is in the first of these bytes.
      const plain = (31 - Math.clz32(escapes & -escapes)) >> 3;
      at += plain;
      end += plain;
      code = (word >> (8 * plain)) & 0xff;
    } else code = source.getUint8(at);
    if (end - at > limit) return undefined;
    const escape = SHORT_ESCAPES[code] ?? 0;
    at += 1;
    if (escape !== 0) {
      target.setInt16(end, (escape << 8) | BACKSLASH, true);
      end += 2;
    } else if (code >= SPACE) {
      target.setUint8(end, code);
      end += 1;
    } else end = writeUnicodeEscape(target, end, code);
  }
  return end;
}

/** Writes a control character as `\\u00xx`. Returns the index after it. */
function writeUnicodeEscape(target: DataView, at: number, code: number): number {
  const escape = `\\u00${code.toString(16).padStart(2, '0')}`;
  for (let index = 0; index < 6; index += 1) target.setUint8(at + index, escape.charCodeAt(index));
  return at + 6;
}

/**
 * Returns a word with a bit in the first byte that is below 0x20, a quotation mark or a backslash, and
 * perhaps in bytes after it; 0 without such a byte.
 * @see https://graphics.stanford.edu/~seander/bithacks.html#HasLessInWord
 */
function escapesIn(word: number): number {
  const quotes = word ^ 0x22222222;
  const backslashes = word ^ 0x5c5c5c5c;
  const found =
    ((word - 0x20202020) & ~word) |
    ((quotes - 0x01010101) & ~quotes) |
    ((backslashes - 0x01010101) & ~backslashes);
  return found & 0x80808080;
}
