import type { JsonObject } from '@signalbox/mcp-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { isPlainObject } from '../../json/plain-object.ts';

export interface ToolRules {
  /** Pattern of accepted property names. Default: any name. */
  readonly propertyName?: RegExp;
}

const dialect = new Ajv2020({ strict: false, logger: false });

/** Returns the error with which the APIs refuse a tool list. */
export function toolProblem(
  tools: readonly { readonly name: string; readonly schema: JsonObject }[],
  rules: ToolRules = {},
): string | undefined {
  if (tools.length > 128)
    return `Invalid 'tools': array too long. Expected an array with maximum length 128, but got ${tools.length} instead.`;
  if (new Set(tools.map(({ name }) => name)).size < tools.length)
    return 'tools: Tool names must be unique.';
  for (const { name, schema } of tools) {
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name))
      return `Invalid 'tools[0].name': string does not match pattern '^[a-zA-Z0-9_-]{1,64}$'.`;
    if (schema['type'] !== 'object' || typeof schema['properties'] !== 'object')
      return `Invalid schema for function '${name}': object schema missing properties.`;
    const combinator = ['anyOf', 'oneOf', 'allOf', 'not', 'enum', '$ref'].find(
      (key) => key in schema,
    );
    if (combinator !== undefined)
      return `Invalid schema for function '${name}': schema must not have '${combinator}' at the top level.`;
    if (dialect.validateSchema(schema) !== true)
      return `Invalid schema for function '${name}': JSON schema is invalid. It must match JSON Schema draft 2020-12: ${dialect.errorsText()}.`;
    const problem = nodeProblem(schema, { root: schema, rules });
    if (problem !== undefined) return `Invalid schema for function '${name}': ${problem}.`;
  }
  return undefined;
}

export function imageProblem(mimeType: string, base64: string): string | undefined {
  const starts: { readonly [type: string]: string } = {
    'image/png': 'iVBOR',
    'image/jpeg': '/9j/',
    'image/gif': 'R0lGOD',
    'image/webp': 'UklGR',
  };
  const start = starts[mimeType];
  return start !== undefined && base64.startsWith(start)
    ? undefined
    : `Image does not match the provided media type ${mimeType}`;
}

/** Checks schemas in places that a provider reads; values such as `default` are arbitrary. */
function nodeProblem(
  node: unknown,
  context: { readonly root: JsonObject; readonly rules: ToolRules },
): string | undefined {
  if (typeof node === 'boolean') return `${String(node)} is not of type 'object'`;
  if (typeof node !== 'object' || node === null) return undefined;
  const schema = node as JsonObject; // any object has properties by name
  return (
    keywordProblem(schema, context) ??
    subschemas(schema)
      .map((child) => nodeProblem(child, context))
      .find((problem) => problem !== undefined)
  );
}

function keywordProblem(
  {
    type,
    items,
    additionalProperties,
    properties,
    pattern,
    $ref: reference,
    enum: values,
    nullable,
  }: JsonObject,
  { root, rules }: { readonly root: JsonObject; readonly rules: ToolRules },
): string | undefined {
  if (
    (type === 'array' || (Array.isArray(type) && type.includes('array'))) &&
    (typeof items !== 'object' || Array.isArray(items))
  )
    return 'array schema missing items';
  if (typeof additionalProperties === 'string')
    return 'additionalProperties must be a boolean or an object';
  if (Array.isArray(values) && values.length === 0) return '[] is too short';
  if (nullable !== undefined) return 'nullable is not a keyword';
  if (typeof pattern === 'string' && /\(\?[<!=]|\\p\{/.test(pattern))
    return `'${pattern}' is not a 'regex'`;
  if (typeof reference === 'string' && !isThere(reference, root))
    return `reference to '${reference}' that is not found`;
  const name = Object.keys(
    typeof properties === 'object' && properties !== null ? properties : {},
  ).find((key) => rules.propertyName?.test(key) === false);
  return name === undefined
    ? undefined
    : `Property keys should match pattern '${String(rules.propertyName)}': ${name}`;
}

function isThere(reference: string, root: JsonObject): boolean {
  if (reference === '#') return true;
  const [, place = '', name = ''] = /^#\/(\$defs|definitions)\/(.+)$/.exec(reference) ?? [];
  const definitions = root[place];
  return isPlainObject(definitions) && Object.hasOwn(definitions, name);
}

function subschemas(schema: JsonObject): readonly unknown[] {
  const maps = ['properties', 'patternProperties', '$defs', 'definitions'].flatMap(
    (key): unknown[] => (isPlainObject(schema[key]) ? Object.values(schema[key]) : []),
  );
  const lists = ['anyOf', 'oneOf', 'allOf', 'prefixItems'].flatMap((key): readonly unknown[] =>
    Array.isArray(schema[key]) ? schema[key] : [],
  );
  const single = ['items', 'not', 'contains', 'propertyNames'].flatMap((key) =>
    key in schema ? [schema[key]] : [],
  );
  return [
    ...maps,
    ...lists,
    ...single,
    ...(isPlainObject(schema['additionalProperties']) ? [schema['additionalProperties']] : []),
  ];
}
