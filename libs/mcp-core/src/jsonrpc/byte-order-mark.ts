const BYTE_ORDER_MARK = 0xfeff;

/**
 * Returns JSON text without a byte order mark at its beginning, which some programs on Windows write
 * and which `JSON.parse` refuses.
 * @see https://www.rfc-editor.org/rfc/rfc8259#section-8.1
 */
export function withoutByteOrderMark(text: string): string {
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
}
