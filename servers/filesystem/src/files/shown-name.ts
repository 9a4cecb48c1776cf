/**
 * A name or path as it stands in a text for a model or a person: line ends, other control characters and the marks that reorder text are written as
 * `\u000a`, so that a name cannot look like several entries. Structured results have the exact name.
 */
export function shownName(name: string): string {
  return unsafe.test(name) ? escapeMarks(name.replaceAll(/\p{Cc}/gu, escaped)) : name;
}

/** The same for a JSON text, in which only the reordering marks and the line separators are left: escaped, it stands for the same value. */
export function escapeMarks(text: string): string {
  return text.replaceAll(/[\u2028\u2029\u202A-\u202E\u2066-\u2069]/g, escaped);
}

const unsafe = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
