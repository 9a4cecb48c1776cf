import type { JsonObject, JsonSchema } from '@signalbox/mcp-core';
import { isPlainObject } from '../json/plain-object.ts';
import { fitSchema } from './tool-schema.ts';

const KEPT = new Set([
  'type',
  'description',
  'title',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'const',
  'anyOf',
  'allOf',
  '$ref',
  '$defs',
  'definitions',
  'format',
  'minItems',
]);
const FORMATS = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
]);
const SCHEMA_MAPS = new Set(['properties', '$defs', 'definitions']);
const SCHEMA_LISTS = new Set(['anyOf', 'allOf']);

/** A schema for structured output of a provider. */
export interface OutputFormat {
  readonly schema: JsonSchema;
  /** Whether every member is required and no other is allowed, as OpenAI's strict mode requires. */
  readonly isStrict: boolean;
}

/**
 * Returns the part of a schema that providers enforce: closed objects and the supported keywords.
 * It may accept more than the schema, never less; the answer is validated against the schema
 * itself. Undefined for open objects, which no provider accepts.
 */
export function outputFormat(schema: JsonSchema): OutputFormat | undefined {
  const fitted = fitSchema(schema);
  if ('problem' in fitted) return undefined;
  const closed = close(fitted.fitted);
  return closed === undefined ? undefined : { schema: closed, isStrict: isStrict(closed) };
}

function close(node: JsonObject): JsonObject | undefined {
  const closed: JsonObject = {};
  for (const [key, value] of Object.entries(node)) {
    const name = key === 'oneOf' ? 'anyOf' : key;
    if (!KEPT.has(name) || isUnknownTo(name, value)) continue;
    const fitted = closeKeyword(name, value);
    if (fitted === undefined) return undefined;
    closed[name] = fitted;
  }
  const { type } = node;
  const isObject = type === 'object' || (Array.isArray(type) && type.includes('object'));
  if (!isObject) return closed;
  // A provider cannot enforce members with arbitrary names.
  if (!isPlainObject(node['properties']) || isPlainObject(node['additionalProperties']))
    return undefined;
  return { ...closed, additionalProperties: false };
}

function closeKeyword(name: string, value: unknown): unknown {
  if (SCHEMA_MAPS.has(name) && isPlainObject(value))
    return closeAll(Object.entries(value), (entries) => Object.fromEntries(entries));
  if (SCHEMA_LISTS.has(name) && Array.isArray(value))
    return closeAll(
      value.map((each, at) => [String(at), each as unknown] as const),
      (entries) => entries.map(([, each]) => each),
    );
  return name === 'items' && isPlainObject(value) ? close(value) : value;
}

function closeAll<T>(
  entries: readonly (readonly [string, unknown])[],
  collect: (entries: readonly (readonly [string, unknown])[]) => T,
): T | undefined {
  const closed = entries.map(
    ([name, value]) => [name, isPlainObject(value) ? close(value) : value] as const,
  );
  return closed.some(([, value]) => value === undefined) ? undefined : collect(closed);
}

function isUnknownTo(name: string, value: unknown): boolean {
  return (
    (name === 'format' && !FORMATS.has(String(value))) ||
    (name === 'minItems' && value !== 0 && value !== 1)
  );
}

function isStrict(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isStrict);
  if (!isPlainObject(value)) return true;
  const { properties, required, allOf, minItems } = value;
  if (allOf !== undefined || minItems !== undefined) return false;
  if (
    isPlainObject(properties) &&
    value['additionalProperties'] === false &&
    Object.keys(properties).some((name) => !Array.isArray(required) || !required.includes(name))
  )
    return false;
  return Object.values(value).every(isStrict);
}
