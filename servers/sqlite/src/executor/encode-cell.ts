import type { ColumnType } from './protocol.ts';

export interface EncodedCell {
  readonly json: unknown;
  /** Type of the value; `undefined` for NULL. */
  readonly type: Exclude<ColumnType, 'mixed'> | undefined;
}

/** Bytes that a UTF-16 code unit takes at most in UTF-8. */
export const MAX_UNIT_BYTES = 3;

/**
 * Converts an SQLite value to JSON without loss: integers outside ±2^53 become decimal strings,
 * infinities strings, BLOBs `{"$blob": base64, "bytes": n}`. Values longer than `maxBytes` are cut
 * and marked: `{"$text" | "$blob", "bytes", "truncated": true}`.
 */
export function encodeCell(value: unknown, maxBytes: number): EncodedCell {
  if (value === null) return { json: null, type: undefined };
  if (typeof value === 'bigint') return encodeInteger(value);
  if (typeof value === 'number')
    return { json: Number.isFinite(value) ? value : String(value), type: 'real' };
  if (typeof value === 'string') return { json: encodeText(value, maxBytes), type: 'text' };
  if (value instanceof Uint8Array) return { json: encodeBlob(value, maxBytes), type: 'blob' };
  throw new TypeError(`SQLite returned a value of type ${typeof value}`);
}

function encodeInteger(value: bigint): EncodedCell {
  const number = Number(value);
  // Larger integers round to numbers that are not safe.
  return Number.isSafeInteger(number)
    ? { json: number, type: 'integer' }
    : { json: value.toString(), type: 'int64' };
}

function encodeText(value: string, maxBytes: number): unknown {
  if (value.length * MAX_UNIT_BYTES <= maxBytes) return value;
  const bytes = Buffer.byteLength(value);
  if (bytes <= maxBytes) return value;
  return { $text: cutText(value, maxBytes), bytes, truncated: true };
}

/** Returns the longest prefix of at most `maxBytes` UTF-8 bytes. */
export function cutText(value: string, maxBytes: number): string {
  if (value.length * MAX_UNIT_BYTES <= maxBytes) return value;
  const room = new Uint8Array(maxBytes);
  const { read } = new TextEncoder().encodeInto(value.slice(0, maxBytes), room);
  return value.slice(0, read);
}

function encodeBlob(value: Uint8Array, maxBytes: number): unknown {
  const kept = Math.min(value.byteLength, Math.floor(maxBytes / 4) * 3);
  const $blob = Buffer.from(value.buffer, value.byteOffset, kept).toString('base64');
  return {
    $blob,
    bytes: value.byteLength,
    ...(kept < value.byteLength ? { truncated: true } : {}),
  };
}
