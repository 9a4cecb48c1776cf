import { isUtf8 } from '../../jsonrpc/utf8.ts';

const PREFIX = '=?base64?';
const SUFFIX = '?=';
/** Text that a header can carry unencoded: visible ASCII, with inner spaces only. */
const SAFE = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/;
const FIELD_CONTENT = /^[\t\x20-\x7e]*$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Encodes a value of `Mcp-Name` or `Mcp-Param-*`: unchanged when a header can carry it, otherwise
 * as Base64 of its UTF-8 between `=?base64?` and `?=`. Numbers are decimal, booleans lower-case.
 * The caller checks that integers are in the safe range.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#value-encoding
 */
export function encodeHeaderValue(value: string | number | boolean): string {
  const text = String(value);
  return SAFE.test(text) && !text.startsWith(PREFIX)
    ? text
    : `${PREFIX}${Buffer.from(text).toString('base64')}${SUFFIX}`;
}

/**
 * Decodes a value of `encodeHeaderValue` to text. Returns `undefined` for characters that a header
 * cannot carry, and for invalid Base64 or UTF-8.
 */
export function decodeHeaderValue(value: string): string | undefined {
  if (!isEncoded(value)) return FIELD_CONTENT.test(value) ? value : undefined;
  const encoded = value.slice(PREFIX.length, -SUFFIX.length);
  if (!BASE64.test(encoded)) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  return isUtf8(bytes) ? bytes.toString() : undefined;
}

function isEncoded(text: string): boolean {
  return (
    text.length >= PREFIX.length + SUFFIX.length && text.startsWith(PREFIX) && text.endsWith(SUFFIX)
  );
}
