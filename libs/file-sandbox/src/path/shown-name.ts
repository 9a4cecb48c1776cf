/**
 * Escapes a name for a text that a model or a person reads: control characters and marks that
 * reorder text become `\u000a` and the like, so that a name cannot look like several entries.
 * Structured results have the exact name.
 */
export function shownName(name: string): string {
  return unsafe.test(name) ? escapeMarks(name.replaceAll(/\p{Cc}/gu, escaped)) : name;
}

/** Escapes the reordering marks and line separators of a JSON text, which keeps its value. */
export function escapeMarks(text: string): string {
  return text.replaceAll(/[\u2028\u2029\u202A-\u202E\u2066-\u2069]/g, escaped);
}

const unsafe = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
