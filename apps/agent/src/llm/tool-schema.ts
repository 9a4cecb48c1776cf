import type { JsonObject, JsonSchema } from '@signalbox/mcp-core';
import { isPlainObject } from '../plain-object.ts';
import type { ToolSpec } from '../ports/llm-provider.ts';
import { keywordValue, withNumericLimits } from './tool-schema-keywords.ts';
import { foldRoot } from './tool-schema-root.ts';

export interface FittedTools {
  readonly tools: readonly ToolSpec[];
  /** One line for every tool that was left out. */
  readonly warnings: readonly string[];
}

export interface ToolRules extends SchemaRules {
  /** Longest description, in characters; default no limit. */
  readonly descriptionCharacters?: number | undefined;
}

export interface SchemaRules {
  /** What the name of a property may be; default anything. */
  readonly propertyName?: RegExp;
}

type Fit = { readonly fitted: JsonSchema } | { readonly problem: string };

interface Fitting {
  readonly root: JsonObject;
  readonly rules: SchemaRules;
  /** References that are being replaced by what they name, outermost first. */
  readonly within: readonly string[];
}

const MAX_SCHEMA_CHARACTERS = 100_000;
const MAX_DEPTH = 40;
const MAX_INLINED = 8;
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const SCHEMA_MAPS = new Set([
  'properties',
  '$defs',
  'definitions',
  'patternProperties',
  'dependentSchemas',
]);
const SCHEMA_LISTS = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const SCHEMAS = new Set([
  'items',
  'additionalProperties',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'unevaluatedProperties',
  'unevaluatedItems',
  'contentSchema',
]);

/** Makes every tool acceptable to the providers, which refuse the whole request for one bad schema; a tool that cannot be made so is left out. */
export function fitTools(tools: readonly ToolSpec[], rules: ToolRules = {}): FittedTools {
  const fitted: ToolSpec[] = [];
  const warnings: string[] = [];
  for (const tool of tools) {
    const schema = NAME.test(tool.name)
      ? fitSchema(tool.inputSchema, rules)
      : { problem: 'its name is not 1 to 64 letters, digits, _ or -' };
    if ('problem' in schema)
      warnings.push(`The tool ${tool.name} is not offered to the model: ${schema.problem}.`);
    else
      fitted.push({
        ...tool,
        description: cutDescription(tool.description, rules.descriptionCharacters),
        inputSchema: schema.fitted,
      });
  }
  return { tools: fitted, warnings };
}

/** Ends a text that is too long with an ellipsis, and not within a surrogate pair. */
function cutDescription(description: string, maxCharacters = Infinity): string {
  return description.length <= maxCharacters
    ? description
    : `${description.slice(0, maxCharacters - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/**
 * A schema that describes the same arguments or more: an object with `properties` at the root and no combinator there, `items` on every array, no
 * boolean subschemas, no keyword with a value that JSON Schema 2020-12 does not allow, no references but to definitions at the root. The input stays as
 * it is; a server still gets arguments checked against its own schema.
 */
export function fitSchema(schema: JsonSchema, rules: SchemaRules = {}): Fit {
  const given = sizeProblem(schema);
  if (given !== undefined) return { problem: given };
  const folded = foldRoot(fitNode(schema, { root: schema, rules, within: [] }));
  if ('problem' in folded) return folded;
  const problem = sizeProblem(folded.fitted) ?? missingName(folded.fitted, schema);
  return problem === undefined ? folded : { problem };
}

function sizeProblem(schema: JsonSchema): string | undefined {
  if (depthOf(schema, 0) > MAX_DEPTH)
    return `its input schema is nested more than ${MAX_DEPTH} levels deep`;
  return JSON.stringify(schema).length > MAX_SCHEMA_CHARACTERS
    ? `its input schema is longer than ${MAX_SCHEMA_CHARACTERS} characters`
    : undefined;
}

/** An argument that a call must have and the provider cannot name makes the tool useless. */
function missingName(fitted: JsonSchema, schema: JsonSchema): string | undefined {
  const properties = isPlainObject(fitted['properties']) ? fitted['properties'] : {};
  const given = isPlainObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(fitted['required'])
    ? (fitted['required'] as readonly string[])
    : []; // made by foldRoot
  const lost = required.find(
    (name) => Object.hasOwn(given, name) && !Object.hasOwn(properties, name),
  );
  return lost === undefined
    ? undefined
    : `this provider takes no argument with the name ${JSON.stringify(lost)}`;
}

function fitNode(node: JsonObject, fitting: Fitting): JsonObject {
  if ('$ref' in node && !isDefinition(node['$ref'], fitting.root))
    return fitReference(node, fitting);
  const entries = Object.entries(withNumericLimits(node)).flatMap(([key, value]) => {
    const fitted = fitKeyword(key, value, fitting);
    return fitted === undefined ? [] : [[key, fitted] as const];
  });
  return withItems(withNull(Object.fromEntries(entries), node));
}

/** References to other places are replaced by what is there; those that lead nowhere, out of the schema or into themselves leave the value free. */
function fitReference({ $ref: reference, ...rest }: JsonObject, fitting: Fitting): JsonObject {
  const isOpen =
    typeof reference === 'string' &&
    fitting.within.length < MAX_INLINED &&
    !fitting.within.includes(reference);
  const target = isOpen ? placeIn(fitting.root, reference) : undefined;
  if (!isOpen || target === undefined)
    return typeof rest['description'] === 'string' ? { description: rest['description'] } : {};
  return fitNode({ ...target, ...rest }, { ...fitting, within: [...fitting.within, reference] });
}

function fitKeyword(key: string, value: unknown, fitting: Fitting): unknown {
  if (SCHEMA_MAPS.has(key))
    return isPlainObject(value)
      ? fitMap(key === 'properties' ? namable(value, fitting.rules) : value, fitting)
      : undefined;
  if (SCHEMA_LISTS.has(key))
    return Array.isArray(value) && value.length > 0 ? fitList(value, fitting) : undefined;
  if (key === 'items' && Array.isArray(value))
    return value.length === 0 ? {} : { anyOf: fitList(value, fitting) };
  if (key === 'additionalProperties' && typeof value === 'boolean') return value;
  if (SCHEMAS.has(key)) return fitSubschema(value, fitting);
  return keywordValue(key, value);
}

function namable(properties: JsonObject, { propertyName }: SchemaRules): JsonObject {
  return propertyName === undefined
    ? properties
    : Object.fromEntries(Object.entries(properties).filter(([name]) => propertyName.test(name)));
}

function fitMap(map: JsonObject, fitting: Fitting): JsonObject {
  return Object.fromEntries(
    Object.entries(map).flatMap(([key, value]) =>
      value === false ? [] : [[key, fitSubschema(value, fitting) ?? {}]],
    ),
  );
}

/** A branch that nothing fits says nothing. */
function fitList(list: readonly unknown[], fitting: Fitting): unknown[] {
  const fitted = list.flatMap((value) =>
    value === false || isNever(value) ? [] : [fitSubschema(value, fitting) ?? {}],
  );
  return fitted.length === 0 ? [{}] : fitted;
}

function fitSubschema(value: unknown, fitting: Fitting): JsonObject | undefined {
  if (value === true) return {};
  return isPlainObject(value) ? fitNode(value, fitting) : undefined;
}

function isNever(value: unknown): boolean {
  return (
    isPlainObject(value) && isPlainObject(value['not']) && Object.keys(value['not']).length === 0
  );
}

function withNull(fitted: JsonObject, { nullable }: JsonObject): JsonObject {
  const { type, enum: values } = fitted;
  if (nullable !== true || typeof type !== 'string' || type === 'null') return fitted;
  return {
    ...fitted,
    type: [type, 'null'],
    ...(Array.isArray(values) && !values.includes(null)
      ? { enum: [...(values as readonly unknown[]), null] }
      : {}),
  };
}

function withItems(fitted: JsonObject): JsonObject {
  const { type } = fitted;
  const isArray = type === 'array' || (Array.isArray(type) && type.includes('array'));
  return isArray && fitted['items'] === undefined ? { ...fitted, items: {} } : fitted;
}

/** References that every provider follows. */
function isDefinition(reference: unknown, root: JsonObject): boolean {
  if (reference === '#') return true;
  const [, place, name] =
    /^#\/(\$defs|definitions)\/([\w.-]+)$/.exec(typeof reference === 'string' ? reference : '') ??
    [];
  if (place === undefined || name === undefined) return false;
  const definitions = root[place];
  return (
    isPlainObject(definitions) && Object.hasOwn(definitions, name) && definitions[name] !== false
  );
}

function placeIn(root: JsonObject, reference: string): JsonObject | undefined {
  if (!reference.startsWith('#/')) return undefined;
  let place: unknown = root;
  for (const part of reference.slice(2).split('/')) {
    const name = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof place !== 'object' || place === null || !Object.hasOwn(place, name))
      return undefined;
    place = (place as { readonly [key: string]: unknown })[name]; // any object has properties by name
  }
  if (place === true) return {};
  return isPlainObject(place) ? place : undefined;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Stops counting beyond the limit. */
function depthOf(value: unknown, depth: number): number {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return depth;
  return Object.values(value).reduce(
    (deepest: number, child) => Math.max(deepest, depthOf(child, depth + 1)),
    depth,
  );
}
