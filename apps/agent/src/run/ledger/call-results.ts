import type { CallToolResult } from '@signalbox/mcp-core';

/** Longest error text that is stored, in characters. Models, clients and logs read it. */
const MAX_ERROR_CHARACTERS = 4096;

/** Cuts an error text to its beginning. */
export function cutErrorText(text: string): string {
  if (text.length <= MAX_ERROR_CHARACTERS) return text;
  return `${text.slice(0, MAX_ERROR_CHARACTERS).toWellFormed()} [… ${text.length - MAX_ERROR_CHARACTERS} of ${text.length} characters left out]`;
}

/** Returns an error result for a call whose server gave none. */
export function errorResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}
