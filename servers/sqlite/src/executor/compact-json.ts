// C1 controls, line separators and the marks that reorder text: legal in JSON, yet able to trick a terminal.
const RISKY = /[\u007F-\u009F\u2028-\u202E\u2066-\u2069]/g;

/** JSON without white space in which every control and direction character is escaped. */
export function compactJson(value: unknown): string {
  return JSON.stringify(value).replace(
    RISKY,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Bytes that `value` takes in a tool result's line: once as structured content, once as text inside a JSON string. */
export function resultBytes(value: unknown): number {
  const json = compactJson(value);
  return Buffer.byteLength(JSON.stringify(value)) + Buffer.byteLength(JSON.stringify(json));
}
