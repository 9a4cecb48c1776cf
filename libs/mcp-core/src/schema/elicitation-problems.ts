import { isJsonObject } from '../jsonrpc/envelope.ts';
import type { JsonObject } from '../jsonrpc/messages.ts';
import { shorten } from '../protocol/errors.ts';
import type { JsonSchema } from '../protocol/tools.ts';
import { hasFormat } from './text-formats.ts';

/**
 * Lists the problems of the content of an accepted form, one sentence each. Requested schemas are
 * flat: text, numbers, booleans and choices. Other keywords and undeclared members are accepted.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#requested-schema
 */
export function elicitationProblems(
  requestedSchema: JsonSchema,
  content: unknown = {},
): readonly string[] {
  if (!isJsonObject(content)) return ['The content must be an object.'];
  const required = Array.isArray(requestedSchema.required) ? requestedSchema.required : [];
  const missing = required
    .filter((name) => typeof name === 'string' && !Object.hasOwn(content, name))
    .map((name) => `"${String(name)}" is required.`);
  const wrong = Object.entries(fieldsOf(requestedSchema)).flatMap(([name, field]) => {
    const problem =
      Object.hasOwn(content, name) && isJsonObject(field)
        ? fieldProblem(field, content[name])
        : undefined;
    return problem === undefined ? [] : [`"${name}" ${problem}.`];
  });
  return [...missing, ...wrong];
}

/** Returns the content with the defaults of omitted fields. */
export function withElicitationDefaults(
  requestedSchema: JsonSchema,
  content: JsonObject = {},
): JsonObject {
  const defaults = Object.entries(fieldsOf(requestedSchema)).flatMap(([name, field]) => {
    return !Object.hasOwn(content, name) && isJsonObject(field) && field.default !== undefined
      ? [[name, field.default] as const]
      : [];
  });
  return { ...content, ...Object.fromEntries(defaults) };
}

function fieldsOf({ properties }: JsonSchema): JsonObject {
  return isJsonObject(properties) ? properties : {};
}

function fieldProblem(field: JsonObject, value: unknown): string | undefined {
  switch (field.type) {
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false';
    case 'number':
    case 'integer':
      return numberProblem(field, value);
    case 'array':
      return listProblem(field, value);
    case 'string':
      return textProblem(field, value);
    default:
      return choiceProblem(choicesOf(field), value);
  }
}

function numberProblem({ type, minimum, maximum }: JsonObject, value: unknown): string | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value))
    return `must be of type ${String(type)}`;
  if (type === 'integer' && !Number.isInteger(value)) return 'must be of type integer';
  if (typeof minimum === 'number' && value < minimum) return `must be >= ${String(minimum)}`;
  return typeof maximum === 'number' && value > maximum
    ? `must be <= ${String(maximum)}`
    : undefined;
}

function textProblem(field: JsonObject, value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be of type string';
  const { minLength, maxLength, format } = field;
  const limited = typeof minLength === 'number' || typeof maxLength === 'number';
  // JSON Schema counts code points.
  const length = limited ? Array.from(value).length : 0;
  if (typeof minLength === 'number' && length < minLength)
    return `must have at least ${String(minLength)} characters`;
  if (typeof maxLength === 'number' && length > maxLength)
    return `must have at most ${String(maxLength)} characters`;
  return (
    choiceProblem(choicesOf(field), value) ??
    (hasFormat(value, format) ? undefined : `must match format "${String(format)}"`)
  );
}

function listProblem(
  { items, minItems, maxItems }: JsonObject,
  value: unknown,
): string | undefined {
  if (!Array.isArray(value)) return 'must be of type array';
  if (typeof minItems === 'number' && value.length < minItems)
    return `must have at least ${String(minItems)} entries`;
  if (typeof maxItems === 'number' && value.length > maxItems)
    return `must have at most ${String(maxItems)} entries`;
  const field = isJsonObject(items) ? items : {};
  for (const entry of value) {
    const problem =
      typeof entry === 'string' ? choiceProblem(choicesOf(field), entry) : 'must be of type string';
    if (problem !== undefined) return `has an entry that ${problem}`;
  }
  return undefined;
}

/**
 * Returns the choices of a field from `enum`, `oneOf` (titled, single) or `anyOf` (titled,
 * multiple).
 */
function choicesOf({ enum: values, oneOf, anyOf }: JsonObject): readonly unknown[] | undefined {
  if (Array.isArray(values)) return values as readonly unknown[];
  const titled = oneOf ?? anyOf;
  return Array.isArray(titled)
    ? titled.filter(isJsonObject).map((choice) => choice.const)
    : undefined;
}

function choiceProblem(
  choices: readonly unknown[] | undefined,
  value: unknown,
): string | undefined {
  if (choices === undefined || choices.includes(value)) return undefined;
  return `must be one of ${shorten(choices.map((choice) => JSON.stringify(choice)).join(', '))}`;
}
