import type { JsonObject, JsonSchema } from '@signalbox/mcp-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { isPlainObject } from '../plain-object.ts';
import { fieldProblem, type FieldProblem } from './field-problem.ts';

/** The keywords of a form field; a server's other keywords, regular expressions and references among them, are not looked at. */
const FIELD_KEYWORDS = new Set([
  'type', 'enum', 'const', 'oneOf', 'anyOf', 'items', 'format', 'minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems', 'uniqueItems',
]);

/** Why a form cannot be checked, or nothing. @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation */
export function checkableSchema(schema: JsonSchema): string | undefined {
  if (!isPlainObject(schema['properties'])) return 'it is no object schema with properties';
  try {
    compile(schema);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** What is wrong with a filled-in form; nothing when it fits. */
export function contentProblems(schema: JsonSchema, content: JsonObject): readonly FieldProblem[] {
  const validate = compile(schema);
  if (validate(content)) return [];
  return (validate.errors ?? []).map(({ instancePath, keyword, params, message }) => {
    const path = ['content', ...instancePath.split('/').slice(1).map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))];
    if (keyword === 'required') return fieldProblem([...path, String(params['missingProperty'])], 'is required');
    if (keyword === 'additionalProperties') return fieldProblem([...path, String(params['additionalProperty'])], 'is no field of this form');
    if (keyword === 'enum') return fieldProblem(path, `must be one of ${(params['allowedValues'] as readonly unknown[]).map((value) => JSON.stringify(value)).join(', ')}`);
    return fieldProblem(path, message ?? 'does not fit');
  });
}

function compile(schema: JsonSchema): ReturnType<Ajv2020['compile']> {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const properties: JsonObject = {};
  for (const [name, field] of Object.entries(schema['properties'] as JsonObject)) properties[name] = fieldSchema(field);
  const required: unknown = schema['required'] ?? [];
  return ajv.compile({ type: 'object', properties, required, additionalProperties: false });
}

function fieldSchema(field: unknown): unknown {
  if (Array.isArray(field)) return field.map(fieldSchema);
  if (!isPlainObject(field)) return field;
  const known = Object.entries(field).filter(([keyword]) => FIELD_KEYWORDS.has(keyword));
  return Object.fromEntries(known.map(([keyword, value]) => [keyword, ['items', 'oneOf', 'anyOf'].includes(keyword) ? fieldSchema(value) : value]));
}
