import { readFileSync } from 'node:fs';
import type { JsonObject, JsonSchema } from '@signalbox/mcp-core';

/** Tool names and input schemas as listed by a third-party server. */
export interface RealServer {
  readonly server: string;
  readonly tools: readonly { readonly name: string; readonly inputSchema: JsonSchema }[];
}

const file = new URL('real-tool-schemas.json', import.meta.url);

export const REAL_SERVERS: readonly RealServer[] = JSON.parse(
  readFileSync(file, 'utf8'),
) as RealServer[];

/**
 * Returns an argument object with every property of the schema. Supports the keywords of the real
 * schemas only.
 */
export function sampleOf(schema: JsonSchema): JsonObject {
  return sampleValue(schema, schema, 0) as JsonObject;
}

/** Depth below which optional properties are omitted, since a schema may contain itself. */
const MAX_DEPTH = 6;

function sampleValue(node: JsonSchema, root: JsonSchema, depth: number): unknown {
  if (typeof node['$ref'] === 'string')
    return sampleValue(definition(node['$ref'], root), root, depth);
  if ('const' in node) return node['const'];
  const [first] = ['enum', 'anyOf', 'oneOf'].flatMap((key) =>
    Array.isArray(node[key]) ? [{ key, value: node[key][0] as unknown }] : [],
  );
  if (first !== undefined)
    return first.key === 'enum' ? first.value : sampleValue(first.value as JsonSchema, root, depth);
  const type = Array.isArray(node['type']) ? (node['type'][0] as unknown) : node['type'];
  switch (type) {
    case 'string':
      return textOf(node['format']);
    case 'number':
    case 'integer':
      return node['minimum'] ?? 1;
    case 'boolean':
      return true;
    case 'array':
      return Array.from({ length: Number(node['minItems'] ?? 1) }, () =>
        sampleValue((node['items'] ?? {}) as JsonSchema, root, depth + 1),
      );
    case 'object': {
      const required = (node['required'] ?? []) as readonly string[];
      const named = Object.entries(
        (node['properties'] ?? {}) as { readonly [name: string]: JsonSchema },
      );
      const wanted = named.filter(([name]) => depth < MAX_DEPTH || required.includes(name));
      return Object.fromEntries(
        wanted.map(([name, child]) => [name, sampleValue(child, root, depth + 1)]),
      );
    }
    default:
      return null;
  }
}

function definition(reference: string, root: JsonSchema): JsonSchema {
  const found = reference
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>((node, key) => (node as JsonObject)[key], root);
  return found as JsonSchema;
}

function textOf(format: unknown): string {
  if (format === 'uuid') return '1429989f-e8ac-4eff-bc8f-57f56486db54';
  return format === 'uri' ? 'https://example.com/' : 'text';
}
