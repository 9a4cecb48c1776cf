// C1 controls, line separators and marks that reorder text are legal in JSON, but can mislead the
// reader of a terminal.
const RISKY = /[\u007F-\u009F\u2028-\u202E\u2066-\u2069]/g;

/** Returns JSON without white space, with every control and direction character escaped. */
export function compactJson(value: unknown): string {
  const json = JSON.stringify(value);
  return isHarmless(json) ? json : escapeRisky(json);
}

/** Memory of the last text, because writing to new memory takes longer than the text. */
let memory = Buffer.alloc(0);

/** Returns the bytes of `compactJson(value)` in UTF-8, which are valid until the next call. */
export function compactJsonBytes(value: unknown): Buffer {
  const json = JSON.stringify(value);
  if (!isHarmless(json)) return Buffer.from(escapeRisky(json));
  if (memory.length < json.length) memory = Buffer.allocUnsafeSlow(json.length);
  // Copying ASCII is much faster than encoding it.
  return memory.subarray(0, memory.write(json, 'latin1'));
}

/** Whether a text is ASCII without its only risky character, which is much faster to find out than with the expression. */
function isHarmless(json: string): boolean {
  return Buffer.byteLength(json) === json.length && !json.includes('\u007F');
}

function escapeRisky(json: string): string {
  return json.replace(
    RISKY,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Text without a character that JSON escapes. */
const PLAIN = /^[ !#-[\]-~]*$/;
/** Bytes that a UTF-16 code unit takes at most: `\u0000` as structured content, `\\u0000` as text. */
const MAX_UNIT_BYTES = 13;
/** Bytes of the quotes of a text, which are escaped in the text content. */
const QUOTE_BYTES = 6;
/** Bytes that a number takes at most, such as -1.2345678901234567e-300, in both contents. */
export const MAX_NUMBER_BYTES = 2 * 25;

/**
 * Returns the bytes that a value inside an array takes in a tool result, without serializing numbers and
 * plain texts, which most values are.
 */
export function memberBytes(value: unknown): number {
  if (typeof value === 'number' || value === null) return 2 * String(value).length;
  if (typeof value === 'string' && PLAIN.test(value)) return 2 * value.length + QUOTE_BYTES;
  return resultBytes(value) - 2;
}

/** Returns an upper bound of `memberBytes` of a text. */
export function textBytesBound(text: string): number {
  return MAX_UNIT_BYTES * text.length + QUOTE_BYTES;
}

/** Returns an upper bound of `memberBytes`, without looking at the characters of a text. */
export function memberBytesBound(value: unknown): number {
  if (typeof value === 'string') return textBytesBound(value);
  return typeof value === 'number' || value === null ? MAX_NUMBER_BYTES : memberBytes(value);
}

/**
 * Returns the bytes that `value` takes in a tool result: once as structured content, once as text
 * inside a JSON string.
 */
export function resultBytes(value: unknown): number {
  const json = compactJson(value);
  return Buffer.byteLength(json) + Buffer.byteLength(JSON.stringify(json));
}
