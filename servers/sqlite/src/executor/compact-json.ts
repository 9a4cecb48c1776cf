// C1 controls, line separators and marks that reorder text are legal in JSON, but can mislead the
// reader of a terminal.
const RISKY = /[\u007F-\u009F\u2028-\u202E\u2066-\u2069]/g;

/** Returns JSON without white space, with every control and direction character escaped. */
export function compactJson(value: unknown): string {
  return JSON.stringify(value).replace(
    RISKY,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Text without a character that JSON escapes. */
const PLAIN = /^[ !#-[\]-~]*$/;

/**
 * Returns the bytes that a value inside an array takes in a tool result, without serializing numbers and
 * plain texts, which most values are.
 */
export function memberBytes(value: unknown): number {
  if (typeof value === 'number' || value === null) return 2 * String(value).length;
  // The quotes are escaped in the text.
  if (typeof value === 'string' && PLAIN.test(value)) return 2 * value.length + 6;
  return resultBytes(value) - 2;
}

/**
 * Returns the bytes that `value` takes in a tool result: once as structured content, once as text
 * inside a JSON string.
 */
export function resultBytes(value: unknown): number {
  const json = compactJson(value);
  return Buffer.byteLength(JSON.stringify(value)) + Buffer.byteLength(JSON.stringify(json));
}
