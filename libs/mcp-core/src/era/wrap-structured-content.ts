import { isJsonObject } from '../jsonrpc/envelope.ts';
import type { JsonSchema } from '../protocol/tools.ts';

const MAPS_OF_SCHEMAS = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
const KEYWORDS_WITH_DATA = new Set(['const', 'enum', 'default', 'examples']);
const PREFIX = '#/properties/result';

/**
 * Whether `structuredContent` is wrapped as `{ result: value }` for revisions that require an
 * object. Decided by the schema, or by the value without one.
 */
export function isWrapped(value: unknown, outputSchema: JsonSchema | undefined): boolean {
  return outputSchema === undefined ? !isJsonObject(value) : outputSchema.type !== 'object';
}

/** Returns the schema of `{ result: value }`; local `$ref` pointers keep their targets. */
export function wrapSchema(schema: JsonSchema): JsonSchema {
  const { $schema, ...inner } = schema;
  return {
    ...($schema === undefined ? {} : { $schema }),
    type: 'object',
    properties: { result: '$id' in inner ? inner : movePointers(inner) },
    required: ['result'],
  };
}

function movePointers(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(movePointers);
  if (!isJsonObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [keyword, moveKeyword(keyword, value)]),
  );
}

function moveKeyword(keyword: string, value: unknown): unknown {
  if (typeof value === 'string') {
    const isLocalPointer = keyword === '$ref' && (value === '#' || value.startsWith('#/'));
    return isLocalPointer ? `${PREFIX}${value.slice(1)}` : value;
  }
  if (KEYWORDS_WITH_DATA.has(keyword)) return value;
  if (!MAPS_OF_SCHEMAS.has(keyword) || !isJsonObject(value)) return movePointers(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, schema]) => [name, movePointers(schema)]),
  );
}
