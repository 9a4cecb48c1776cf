import type { JsonObject, JsonSchema } from '@signalbox/mcp-core';
import { isPlainObject } from '../plain-object.ts';
import type { ToolSpec } from '../ports/llm-provider.ts';
import { foldRoot } from './tool-schema-root.ts';

export interface FittedTools {
  readonly tools: readonly ToolSpec[];
  /** One line for every tool that was left out. */
  readonly warnings: readonly string[];
}

const MAX_SCHEMA_CHARACTERS = 100_000;
const MAX_DEPTH = 40;
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const NOT_FOR_MODELS = new Set(['$schema', '$id', '$comment', '$anchor', '$dynamicAnchor', '$dynamicRef', '$vocabulary', 'nullable']);
const SCHEMA_MAPS = new Set(['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas']);
const SCHEMA_LISTS = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const SCHEMAS = new Set(['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames', 'unevaluatedProperties', 'unevaluatedItems']);

/** Makes every tool acceptable to the providers, which refuse the whole request for one bad schema; a tool that cannot be made so is left out. */
export function fitTools(tools: readonly ToolSpec[]): FittedTools {
  const fitted: ToolSpec[] = [];
  const warnings: string[] = [];
  for (const tool of tools) {
    const schema = NAME.test(tool.name) ? fitSchema(tool.inputSchema) : { problem: 'its name is not 1 to 64 letters, digits, _ or -' };
    if ('problem' in schema) warnings.push(`The tool ${tool.name} is not offered to the model: ${schema.problem}.`);
    else fitted.push({ ...tool, inputSchema: schema.fitted });
  }
  return { tools: fitted, warnings };
}

/**
 * A schema that describes the same arguments or more: an object with `properties` at the root and no combinator there, `items` on every array, no
 * boolean subschemas, no references out of the schema. The input stays as it is; a server still gets arguments checked against its own schema.
 */
export function fitSchema(schema: JsonSchema): { readonly fitted: JsonSchema } | { readonly problem: string } {
  if (depthOf(schema, 0) > MAX_DEPTH) return { problem: `its input schema is nested more than ${MAX_DEPTH} levels deep` };
  if (JSON.stringify(schema).length > MAX_SCHEMA_CHARACTERS) return { problem: `its input schema is longer than ${MAX_SCHEMA_CHARACTERS} characters` };
  return foldRoot(fitNode(schema, schema));
}

function fitNode(node: JsonObject, root: JsonObject): JsonObject {
  if (typeof node['$ref'] === 'string' && !resolves(node['$ref'], root)) return descriptionOf(node);
  const entries = Object.entries(node).flatMap(([key, value]) => {
    if (NOT_FOR_MODELS.has(key) || key.startsWith('x-')) return [];
    const fitted = fitKeyword(key, value, root);
    return fitted === undefined ? [] : [[key, fitted] as const];
  });
  return withItems(withType(Object.fromEntries(entries), node));
}

function fitKeyword(key: string, value: unknown, root: JsonObject): unknown {
  if (SCHEMA_MAPS.has(key)) return isPlainObject(value) ? fitMap(value, root) : undefined;
  if (SCHEMA_LISTS.has(key)) return Array.isArray(value) ? fitList(value, root) : undefined;
  if (key === 'items' && Array.isArray(value)) return { anyOf: fitList(value, root) };
  if (key === 'additionalProperties' && typeof value === 'boolean') return value;
  if (SCHEMAS.has(key)) return fitSubschema(value, root);
  return value;
}

function fitMap(map: JsonObject, root: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(map).flatMap(([key, value]) => (value === false ? [] : [[key, fitSubschema(value, root) ?? {}]])));
}

function fitList(list: readonly unknown[], root: JsonObject): unknown[] {
  const fitted = list.flatMap((value) => (value === false ? [] : [fitSubschema(value, root) ?? {}]));
  return fitted.length === 0 ? [{}] : fitted;
}

function fitSubschema(value: unknown, root: JsonObject): JsonObject | undefined {
  if (value === true) return {};
  return isPlainObject(value) ? fitNode(value, root) : undefined;
}

function withType(fitted: JsonObject, original: JsonObject): JsonObject {
  const { type, ...rest } = fitted;
  if (type === undefined || type === 'any') return rest;
  if (original['nullable'] === true && typeof type === 'string') return { ...rest, type: [type, 'null'] };
  return fitted;
}

function withItems(fitted: JsonObject): JsonObject {
  const { type } = fitted;
  const isArray = type === 'array' || (Array.isArray(type) && type.includes('array'));
  return isArray && fitted['items'] === undefined ? { ...fitted, items: {} } : fitted;
}

function descriptionOf(node: JsonObject): JsonObject {
  return typeof node['description'] === 'string' ? { description: node['description'] } : {};
}

function resolves(reference: string, root: JsonObject): boolean {
  const [, place, name] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(reference) ?? [];
  if (reference === '#') return true;
  if (place === undefined || name === undefined) return false;
  const definitions = root[place];
  return isPlainObject(definitions) && Object.hasOwn(definitions, name);
}

/** Stops counting beyond the limit. */
function depthOf(value: unknown, depth: number): number {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return depth;
  return Object.values(value).reduce((deepest: number, child) => Math.max(deepest, depthOf(child, depth + 1)), depth);
}
