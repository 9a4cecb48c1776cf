import { createHash } from 'node:crypto';
import type { JsonObject, Tool } from '@signalbox/mcp-core';
import { canonicalJson } from '../canonical-json.ts';
import { UnusableSchemaError } from './argument-validator.ts';

/** SHA-256, in hex, of each part of a tool's definition that is there. */
export type DefinitionParts = { readonly [part: string]: string };

/** What a model or a person goes by, and what a call depends on; icons and `_meta` are neither, and what it says of tasks depends on the era. */
const PINNED = [
  'title',
  'description',
  'inputSchema',
  'outputSchema',
  'annotations',
] as const satisfies readonly (keyof Tool)[];

/** The part of a tool's definition that is pinned, as the server sent it. */
export function pinnedDefinition(tool: Tool): JsonObject {
  return Object.fromEntries(
    PINNED.filter((part) => tool[part] !== undefined).map((part) => [part, tool[part]]),
  );
}

/** @throws UnusableSchemaError when a part is nested so deep that it cannot be read */
export function definitionParts(definition: JsonObject): DefinitionParts {
  try {
    return Object.fromEntries(
      Object.entries(definition).map(([part, value]) => [part, digestOf(value)]),
    );
  } catch (error) {
    throw new UnusableSchemaError('its definition is nested too deep', { cause: error });
  }
}

/** One digest for all parts. */
export function definitionDigest(parts: DefinitionParts): string {
  return digestOf(parts);
}

/** Names of the parts that are not the same. */
export function changedParts(before: DefinitionParts, now: DefinitionParts): readonly string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  return names.filter((part) => before[part] !== now[part]).toSorted();
}

/** @see https://www.rfc-editor.org/rfc/rfc8785 */
function digestOf(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}
