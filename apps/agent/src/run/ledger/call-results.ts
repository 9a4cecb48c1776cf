import type { CallToolResult } from '@signalbox/mcp-core';

/** The longest text of an error that is stored, and that a model, a client or a log reads, in characters. */
const MAX_ERROR_CHARACTERS = 4096;

/** The beginning of an error's text. */
export function cutErrorText(text: string): string {
  if (text.length <= MAX_ERROR_CHARACTERS) return text;
  return `${text.slice(0, MAX_ERROR_CHARACTERS).toWellFormed()} [… ${text.length - MAX_ERROR_CHARACTERS} of ${text.length} characters left out]`;
}

/** A result made here, for a call that did not bring one of its own. */
export function errorResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}
