import { isUtf8 } from 'node:buffer';

const PREFIX = '=?base64?';
const SUFFIX = '?=';
/** Text that reaches the other side as it is: visible ASCII, with spaces inside only. */
const SAFE = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/;
const FIELD_CONTENT = /^[\t\x20-\x7e]*$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * A value of `Mcp-Name` or `Mcp-Param-*`: as it is when a header can hold it, else its UTF-8 in Base64 between `=?base64?` and `?=`. A number is
 * written in decimal, a boolean in lowercase; whether a number is an integer in the safe range is the caller's business.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#value-encoding
 */
export function encodeHeaderValue(value: string | number | boolean): string {
  const text = String(value);
  return SAFE.test(text) && !text.startsWith(PREFIX)
    ? text
    : `${PREFIX}${Buffer.from(text).toString('base64')}${SUFFIX}`;
}

/** What `encodeHeaderValue` was given, as text. `undefined` when the value has characters no header may have, or no Base64 of UTF-8 between the marks. */
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
