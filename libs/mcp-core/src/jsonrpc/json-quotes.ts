const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** The letter of each escape of two characters, by the code of the escaped character. */
const SHORT_ESCAPES = new Uint8Array(256);
for (const escaped of '\b\t\n\f\r"\\')
  SHORT_ESCAPES[escaped.charCodeAt(0)] = JSON.stringify(escaped).charCodeAt(2);
/** Bytes that an escape takes at most, in addition to its character. */
const MAX_ADDED_BYTES = 5;
/** Bytes for the shortest text: its two quotation marks, its longest escape, and as much as must be free before each byte that is written alone. */
export const MIN_SPARE_BYTES = 2 + 2 * MAX_ADDED_BYTES;

/** Returns the number of bytes that `quotePieces` needs for a text whose escapes add a third. */
export function quotedLength(length: number): number {
  return Math.ceil((length * 4) / 3) + MIN_SPARE_BYTES;
}

/**
 * Writes pieces of UTF-8 as one JSON string into `target`, which is at least two bytes longer than they
 * are. A single piece may be the end of `target` itself. Returns what was written; `undefined` when
 * the escapes leave fewer than five of the other bytes free.
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
  // How far `targetIndex` may be ahead of `sourceIndex` for the longest escape still to fit.
  const limit = begin + spare - MAX_ADDED_BYTES;
  let targetIndex = begin;
  let sourceIndex = 0;
  while (sourceIndex < byteLength) {
    let code: number;
    if (sourceIndex + 4 <= byteLength) {
      const word = source.getInt32(sourceIndex, true);
      target.setInt32(targetIndex, word, true);
      const mask = escapeMask(word);
      if (mask === 0) {
        sourceIndex += 4;
        targetIndex += 4;
        continue;
      }
      const plainBytes = (31 - Math.clz32(mask & -mask)) >> 3;
      sourceIndex += plainBytes;
      targetIndex += plainBytes;
      code = (word >> (8 * plainBytes)) & 0xff;
    } else code = source.getUint8(sourceIndex);
    if (targetIndex - sourceIndex > limit) return undefined;
    const letter = SHORT_ESCAPES[code] ?? 0;
    sourceIndex += 1;
    if (letter !== 0) {
      target.setInt16(targetIndex, (letter << 8) | BACKSLASH, true);
      targetIndex += 2;
    } else if (code >= SPACE) {
      target.setUint8(targetIndex, code);
      targetIndex += 1;
    } else targetIndex = writeUnicodeEscape(target, targetIndex, code);
  }
  return targetIndex;
}

/** Writes a control character as `\u00xx`. Returns the index after it. */
function writeUnicodeEscape(target: DataView, at: number, code: number): number {
  const escape = `\\u00${code.toString(16).padStart(2, '0')}`;
  for (let index = 0; index < 6; index += 1) target.setUint8(at + index, escape.charCodeAt(index));
  return at + 6;
}

/**
 * Returns a mask of the four bytes of a word: its lowest bit is in the first byte that is below 0x20, a
 * quotation mark or a backslash; higher bits may be wrong. 0 when no byte is.
 * @see https://graphics.stanford.edu/~seander/bithacks.html#HasLessInWord
 */
function escapeMask(word: number): number {
  const quotes = word ^ 0x22222222;
  const backslashes = word ^ 0x5c5c5c5c;
  const found =
    ((word - 0x20202020) & ~word) |
    ((quotes - 0x01010101) & ~quotes) |
    ((backslashes - 0x01010101) & ~backslashes);
  return found & 0x80808080;
}
