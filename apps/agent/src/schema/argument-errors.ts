import type { JsonObject } from '@signalbox/mcp-core';
import type { SchemaViolation } from '@signalbox/mcp-core/schema';
import { isPlainObject } from '../json/plain-object.ts';
import { nearestName } from '../text/nearest-name.ts';

const MAX_PROBLEMS = 5;
const MAX_EXCERPT_LENGTH = 500;

/** Returns an error text for the model: the wrong arguments, their problems, and the violated schema. */
export function describeArgumentErrors(
  errors: readonly SchemaViolation[],
  args: JsonObject,
): string {
  const problems = schemaProblems(errors, 'arguments').map((line) => `- ${line}`);
  const culprit = errors.at(-1);
  const excerpt =
    culprit === undefined
      ? ''
      : `\nSchema of ${place(culprit, 'arguments')}: ${shorten(JSON.stringify(culprit.parentSchema))}`;
  return `Invalid arguments, nothing was done. Correct them and call the tool again.\n${[...new Set(problems)].join('\n')}${excerpt}\nArguments given: ${given(args)}`;
}

/** Returns one line for each of the first five violations. `root`: name of the value itself. */
export function schemaProblems(
  errors: readonly SchemaViolation[],
  root: string,
): readonly string[] {
  return errors.slice(0, MAX_PROBLEMS).map((error) => `${place(error, root)}: ${problem(error)}`);
}

function place(error: SchemaViolation, root: string): string {
  return error.instancePath === '' ? root : error.instancePath.slice(1).replaceAll('/', '.');
}

function problem(error: SchemaViolation): string {
  // The type of the parameters depends on the keyword.
  const parameters = error.params as JsonObject;
  switch (error.keyword) {
    case 'required':
      return `"${String(parameters['missingProperty'])}" is missing`;
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return unknownProperty(
        String(parameters['additionalProperty'] ?? parameters['unevaluatedProperty']),
        error.parentSchema,
      );
    case 'enum':
      return `must be one of ${shorten(JSON.stringify(parameters['allowedValues']))}`;
    case 'const':
      return `must be ${shorten(JSON.stringify(parameters['allowedValue']))}`;
    case 'type':
      return `must be ${String(parameters['type'])}, but is ${typeName(error.data)}`;
    default:
      return error.message ?? `violates "${error.keyword}"`;
  }
}

function unknownProperty(name: string, schema: unknown): string {
  const properties =
    isPlainObject(schema) && isPlainObject(schema['properties'])
      ? Object.keys(schema['properties'])
      : [];
  const nearest = nearestName(name, properties);
  return `"${name}" is not known${nearest === undefined ? '' : `; did you mean "${nearest}"?`}`;
}

function given(args: JsonObject): string {
  const names = Object.keys(args);
  return names.length === 0 ? 'none' : shorten(names.join(', '));
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function shorten(text: string | undefined): string {
  if (text === undefined) return '';
  return text.length <= MAX_EXCERPT_LENGTH ? text : `${text.slice(0, MAX_EXCERPT_LENGTH)}…`;
}
