import type { JsonObject, JsonSchema } from '@signalbox/mcp-core';
import { isPlainObject } from '../json/plain-object.ts';
import type { ToolSpec } from '../ports/llm-provider.ts';
import { keywordValue, withNumericLimits } from './tool-schema-keywords.ts';
import { foldRoot } from './tool-schema-root.ts';

export interface FittedTools {
  readonly tools: readonly ToolSpec[];
  /** Warnings, one line for each omitted tool. */
  readonly warnings: readonly string[];
}

export interface ToolRules extends SchemaRules {
  /** Maximum length of a description in characters. Default: no limit. */
  readonly descriptionCharacters?: number | undefined;
}

export interface SchemaRules {
  /** Pattern of accepted property names. Default: any name. */
  readonly propertyName?: RegExp;
}

type Fit = { readonly fitted: JsonSchema } | { readonly problem: string };

interface Fitting {
  readonly root: JsonObject;
  readonly rules: SchemaRules;
  /** References being expanded, outermost first. */
  readonly within: readonly string[];
}

/** Results by schema and accepted property names: every turn of every run offers the same schemas. */
const fitsOfSchemas = new WeakMap<JsonSchema, Map<RegExp | undefined, Fit>>();

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

/**
 * Converts every tool to a form that providers accept, since one bad schema makes them refuse the
 * whole request. Tools that cannot be converted are omitted.
 */
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

/** Truncates a text with an ellipsis without splitting a surrogate pair. */
function cutDescription(description: string, maxCharacters = Infinity): string {
  return description.length <= maxCharacters
    ? description
    : `${description.slice(0, maxCharacters - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/**
 * Returns a schema that accepts the same arguments or more: an object with `properties` and no
 * combinator at the root, `items` on every array, no boolean subschemas, only values of keywords
 * that JSON Schema 2020-12 allows, and references to root definitions only. The input is not
 * changed; a server still gets arguments validated against its own schema.
 */
export function fitSchema(schema: JsonSchema, rules: SchemaRules = {}): Fit {
  let fits = fitsOfSchemas.get(schema);
  if (fits === undefined) fitsOfSchemas.set(schema, (fits = new Map<RegExp | undefined, Fit>()));
  let fit = fits.get(rules.propertyName);
  if (fit === undefined) fits.set(rules.propertyName, (fit = fitAnew(schema, rules)));
  return fit;
}

function fitAnew(schema: JsonSchema, rules: SchemaRules): Fit {
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

/**
 * Returns the name of a required argument that the provider does not accept, which makes the tool
 * unusable.
 */
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

/**
 * Expands references to other places. References that are unresolvable, external or circular become
 * unconstrained values.
 */
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

/** Drops branches that no value matches. */
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

/** Whether the reference names a root definition, which every provider supports. */
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

/** Returns the nesting depth, at most one more than the limit. */
function depthOf(value: unknown, depth: number): number {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return depth;
  return Object.values(value).reduce(
    (deepest: number, child) => Math.max(deepest, depthOf(child, depth + 1)),
    depth,
  );
}
