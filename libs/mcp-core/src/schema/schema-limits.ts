import type { JsonSchema } from '../protocol/tools.ts';

const MAX_DEPTH = 64;
const MAX_PARTS = 10_000;
const MAX_CHARACTERS = 1024 * 1024;

/**
 * Returns the schema as JSON text.
 * @throws Error when it is nested deeper than 64 levels, has more than 10,000 objects and lists, or
 * is longer than 1 MiB.
 * @see
 * https://modelcontextprotocol.io/specification/2026-07-28/basic#composition-keyword-resource-use
 */
export function boundedSchemaText(schema: JsonSchema): string {
  let parts = 0;
  let level: readonly object[] = [schema];
  for (let depth = 1; level.length > 0; depth += 1) {
    parts += level.length;
    if (depth > MAX_DEPTH)
      throw new Error(`The schema is nested deeper than ${String(MAX_DEPTH)} levels`);
    if (parts > MAX_PARTS) throw new Error(`The schema has more than ${String(MAX_PARTS)} parts`);
    level = level.flatMap((part) => Object.values(part).filter(isPart));
  }
  const text = JSON.stringify(schema);
  if (text.length > MAX_CHARACTERS)
    throw new Error(`The schema is longer than ${String(MAX_CHARACTERS)} characters`);
  return text;
}

function isPart(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
