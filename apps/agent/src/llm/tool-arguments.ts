import type { JsonObject } from '@signalbox/mcp-core';
import { isPlainObject } from '../json/plain-object.ts';
import { messageOf } from '../text/error-text.ts';

export type ToolArguments =
  | { readonly input: JsonObject }
  | { readonly input: JsonObject; readonly invalid: string; readonly rawInput: string };

/**
 * Parses the arguments of a tool call strictly. Empty text is `{}`; anything but a JSON object is
 * invalid and keeps its text.
 */
export function parseToolArguments(text: string): ToolArguments {
  if (text.trim() === '') return { input: {} };
  const parsed = parseJson(text);
  if (!parsed.ok)
    return {
      input: {},
      invalid: `the arguments are not valid JSON: ${parsed.problem}`,
      rawInput: text,
    };
  if (!isPlainObject(parsed.value))
    return { input: {}, invalid: 'the arguments are not a JSON object', rawInput: text };
  return { input: parsed.value };
}

function parseJson(
  text: string,
):
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string } {
  try {
    const value: unknown = JSON.parse(text);
    return { ok: true, value };
  } catch (error) {
    return { ok: false, problem: messageOf(error) };
  }
}
