import type { JsonSchema } from '../protocol/tools.ts';

/** Limits for schemas of other parties. */
export interface SchemaLimits {
  /** Levels of nested objects and lists. Default: 64. */
  readonly maxDepth?: number | undefined;
  /** Objects and lists. Default: 10,000. */
  readonly maxParts?: number | undefined;
  /** Characters of the JSON text. Default: 1 MiB. */
  readonly maxCharacters?: number | undefined;
}

/**
 * Returns the schema as JSON text.
 * @throws Error when it is nested deeper than 64 levels, has more than 10,000 objects and lists, or
 * is longer than 1 MiB.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#composition-keyword-resource-use
 */
export function boundedSchemaText(
  schema: JsonSchema,
  { maxDepth = 64, maxParts = 10_000, maxCharacters = 1024 * 1024 }: SchemaLimits = {},
): string {
  let parts = 0;
  let level: readonly object[] = [schema];
  for (let depth = 1; level.length > 0; depth += 1) {
    parts += level.length;
    if (depth > maxDepth)
      throw new Error(`The schema is nested deeper than ${String(maxDepth)} levels`);
    if (parts > maxParts) throw new Error(`The schema has more than ${String(maxParts)} parts`);
    level = level.flatMap((part) => Object.values(part).filter(isPart));
  }
  const text = JSON.stringify(schema);
  if (text.length > maxCharacters)
    throw new Error(`The schema is longer than ${String(maxCharacters)} characters`);
  return text;
}

function isPart(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
