import type { JsonObject, Tool } from '@signalbox/mcp-core';
import { digestOf } from '../json/digest.ts';
import { UnusableSchemaError } from '../schema/argument-validator.ts';

/** SHA-256 in hex of each present part of a tool's definition. */
export type DefinitionParts = { readonly [part: string]: string };

/**
 * Parts that models, people and calls depend on. Icons, `_meta` and task support, which depends on
 * the era, are excluded.
 */
const PINNED = [
  'title',
  'description',
  'inputSchema',
  'outputSchema',
  'annotations',
] as const satisfies readonly (keyof Tool)[];

/** Returns the pinned parts of a tool's definition as the server sent them. */
export function pinnedDefinition(tool: Tool): JsonObject {
  return Object.fromEntries(
    PINNED.filter((part) => tool[part] !== undefined).map((part) => [part, tool[part]]),
  );
}

/**
 * Returns the digests of the parts.
 * @throws UnusableSchemaError for a part that is nested too deep
 */
export function definitionParts(definition: JsonObject): DefinitionParts {
  try {
    return Object.fromEntries(
      Object.entries(definition).map(([part, value]) => [part, digestOf(value)]),
    );
  } catch (error) {
    throw new UnusableSchemaError('its definition is nested too deep', { cause: error });
  }
}

/** Returns one digest of all parts. */
export function definitionDigest(parts: DefinitionParts): string {
  return digestOf(parts);
}

/** Returns the names of the parts that differ. */
export function changedParts(before: DefinitionParts, now: DefinitionParts): readonly string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  return names.filter((part) => before[part] !== now[part]).toSorted();
}
