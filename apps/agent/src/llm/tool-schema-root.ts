import type { JsonObject, JsonSchema } from '@signalbox/mcp-core';
import { isPlainObject } from '../json/plain-object.ts';

interface Shape {
  readonly properties: JsonObject;
  readonly required: readonly string[];
}

const REFUSED_AT_ROOT = new Set([
  'anyOf',
  'oneOf',
  'allOf',
  'not',
  'enum',
  'const',
  'if',
  'then',
  'else',
  '$ref',
  'dependentSchemas',
  'dependentRequired',
]);

/**
 * Converts the root of a schema to a plain object: resolves references, merges `allOf`, and makes
 * alternatives optional properties that the description explains.
 */
export function foldRoot(
  schema: JsonSchema,
): { readonly fitted: JsonSchema } | { readonly problem: string } {
  const root = resolve(schema, schema);
  if (!mayBeObject(root['type']))
    return {
      problem: `its input schema is for ${JSON.stringify(root['type'])}, not for an object`,
    };
  const alternatives = [root['anyOf'], root['oneOf']].flatMap((list) =>
    Array.isArray(list) ? [objectsIn(list, schema).map((branch) => shapeOf(branch, schema))] : [],
  );
  const own = shapeOf(root, schema);
  const shape = alternatives.reduce((merged, branches) => both(merged, eitherOf(branches)), own);
  const rest = Object.fromEntries(
    Object.entries({ ...definitionsOf(schema), ...root }).filter(
      ([key]) => !REFUSED_AT_ROOT.has(key),
    ),
  );
  const note = alternatives.map(noteFor).join(' ');
  const description = [root['description'], note]
    .filter((text) => typeof text === 'string' && text !== '')
    .join(' ');
  return {
    fitted: {
      ...rest,
      type: 'object',
      properties: shape.properties,
      ...(shape.required.length === 0 ? {} : { required: [...shape.required] }),
      ...(description === '' ? {} : { description }),
    },
  };
}

function mayBeObject(type: unknown): boolean {
  return (
    type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'))
  );
}

function definitionsOf(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).filter(([key]) => key === '$defs' || key === 'definitions'),
  );
}

/**
 * Returns properties and required names of a branch with its `allOf` merged in, up to a few levels,
 * so that cycles end.
 */
function shapeOf(branch: JsonObject, schema: JsonObject, levels = 5): Shape {
  const own: Shape = {
    properties: asObject(branch['properties']),
    required: namesIn(branch['required']),
  };
  const parts =
    Array.isArray(branch['allOf']) && levels > 0 ? objectsIn(branch['allOf'], schema) : [];
  return parts.map((part) => shapeOf(part, schema, levels - 1)).reduce(both, own);
}

function both(left: Shape, right: Shape): Shape {
  return {
    properties: { ...right.properties, ...left.properties },
    required: [...new Set([...left.required, ...right.required])],
  };
}

/**
 * Merges branches: names required by all branches are required, and a property that differs may
 * have any of its forms.
 */
function eitherOf(branches: readonly Shape[]): Shape {
  const names = [...new Set(branches.flatMap(({ properties }) => Object.keys(properties)))];
  const properties = names.map((name) => {
    const forms = [
      ...new Map(
        branches.flatMap((branch) =>
          Object.hasOwn(branch.properties, name)
            ? [[JSON.stringify(branch.properties[name]), branch.properties[name]] as const]
            : [],
        ),
      ).values(),
    ];
    return [name, forms.length === 1 ? forms[0] : { anyOf: forms }] as const;
  });
  const [first, ...others] = branches;
  const required = (first?.required ?? []).filter((name) =>
    others.every((branch) => branch.required.includes(name)),
  );
  return { properties: Object.fromEntries(properties), required };
}

function noteFor(branches: readonly Shape[]): string {
  const groups = branches
    .map(({ required }) => required.join(' and '))
    .filter((group) => group !== '');
  return groups.length < 2 ? '' : `Give one of these: ${groups.join('; ')}.`;
}

function objectsIn(list: readonly unknown[], schema: JsonObject): JsonObject[] {
  return list.flatMap((value) => (isPlainObject(value) ? [resolve(value, schema)] : []));
}

/** Resolves a local reference in a few steps, so that cycles end. */
function resolve(node: JsonObject, schema: JsonObject, steps = 5): JsonObject {
  const reference = typeof node['$ref'] === 'string' ? node['$ref'] : '';
  const [, place, name] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(reference) ?? [];
  if (place === undefined || name === undefined || steps === 0) return node;
  const target = asObject(schema[place])[name];
  const { $ref: _, ...siblings } = node;
  return isPlainObject(target) ? { ...resolve(target, schema, steps - 1), ...siblings } : siblings;
}

function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}

function asObject(value: unknown): JsonObject {
  return isPlainObject(value) ? value : {};
}
