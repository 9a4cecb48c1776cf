import { ErrorCode, ProtocolError, type JsonObject, type JsonSchema } from '@signalbox/mcp-core';
import { isPlainObject } from '../../json/plain-object.ts';
import { fieldProblem, type FieldProblem } from './field-problem.ts';
import { FormError, readField, valueProblem, type FormField } from './form-field.ts';

/** Longest message of an elicitation, in bytes of UTF-8. */
const MAX_MESSAGE_BYTES = 8 * 1024;

/** Largest form, as JSON with the keywords that are kept, in bytes of UTF-8. */
const MAX_FORM_BYTES = 64 * 1024;

/** Maximum number of fields of a form. */
const MAX_FIELDS = 100;

/**
 * Checks a form elicitation. Returns the request of its inbox item, with a schema rebuilt from the
 * supported keywords.
 * @throws ProtocolError -32602 when the message or the form is too large, or the form is not valid
 * by the protocol
 */
export function formRequest(message: string, schema: JsonSchema): JsonObject {
  checkMessage(message);
  try {
    const fields = readForm(schema);
    const form = { message, requested_schema: rebuiltSchema(fields) };
    const bytes = Buffer.byteLength(JSON.stringify(form.requested_schema));
    if (bytes > MAX_FORM_BYTES)
      throw new FormError(`it has ${bytes} bytes, and at most ${MAX_FORM_BYTES} are allowed`);
    return form;
  } catch (error) {
    if (!(error instanceof FormError)) throw error;
    throw new ProtocolError(
      ErrorCode.invalidParams,
      `requestedSchema cannot be used: ${error.message}`,
      { cause: error },
    );
  }
}

/**
 * Checks the length of the message of an elicitation.
 * @throws ProtocolError -32602 when it is too long
 */
export function checkMessage(message: string): void {
  if (Buffer.byteLength(message) <= MAX_MESSAGE_BYTES) return;
  throw new ProtocolError(
    ErrorCode.invalidParams,
    `message has more than ${MAX_MESSAGE_BYTES} bytes, the longest that is shown to a person`,
  );
}

/** Reads the fields of a requested schema, in its order. @throws FormError */
export function readForm(schema: JsonObject): readonly FormField[] {
  const { properties, required = [] } = schema as {
    readonly properties?: unknown;
    readonly required?: unknown;
  };
  if (!isPlainObject(properties)) throw new FormError('it is not an object schema with properties');
  const names = Object.keys(properties);
  if (names.length > MAX_FIELDS)
    throw new FormError(`it has ${names.length} fields, and at most ${MAX_FIELDS} are allowed`);
  if (!Array.isArray(required)) throw new FormError('its required is not a list of names');
  const needed = new Set<unknown>(required.slice(0, MAX_FIELDS));
  const isKnown = (name: unknown): boolean =>
    typeof name === 'string' && Object.hasOwn(properties, name);
  if (required.length > MAX_FIELDS || ![...needed].every(isKnown))
    throw new FormError('its required names a field that is not in properties');
  return names.map((name) => readField(name, properties[name], needed.has(name)));
}

/** Returns the fields of a form item; none when the stored form cannot be read. */
export function fieldsOf(request: JsonObject): readonly FormField[] {
  const schema = request['requested_schema'];
  try {
    return isPlainObject(schema) ? readForm(schema) : [];
  } catch (error) {
    if (error instanceof FormError) return [];
    throw error;
  }
}

export interface FilledForm {
  /** Response with the defaults of the fields that it leaves out. */
  readonly content: JsonObject;
  /** Problems, at most one for each field. */
  readonly problems: readonly FieldProblem[];
}

/** Completes and checks a response. `null` leaves an optional field empty, whatever its default. */
export function fillForm(fields: readonly FormField[], given: JsonObject): FilledForm {
  const known = new Set(fields.map(({ name }) => name));
  const unknown = Object.keys(given).filter((name) => !known.has(name));
  const filled = fields.flatMap((field) => {
    const value = Object.hasOwn(given, field.name) ? given[field.name] : field.default;
    return value === undefined || value === null ? [] : [{ field, value }];
  });
  const present = new Set(filled.map(({ field }) => field.name));
  const problems = [
    ...unknown.map((name) => fieldProblem(['content', name], 'is not a field of this form')),
    ...fields
      .filter(({ name, required }) => required && !present.has(name))
      .map(({ name }) => fieldProblem(['content', name], 'is required')),
    ...filled.flatMap(({ field, value }) => {
      const problem = valueProblem(field, value);
      return problem === undefined ? [] : [fieldProblem(['content', field.name], problem)];
    }),
  ];
  return {
    content: Object.fromEntries(filled.map(({ field, value }) => [field.name, value])),
    problems,
  };
}

function rebuiltSchema(fields: readonly FormField[]): JsonObject {
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  const properties = Object.fromEntries(fields.map((field) => [field.name, rebuiltField(field)]));
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
}

function rebuiltField({
  name: _name,
  required: _required,
  type,
  choices,
  ...others
}: FormField): JsonObject {
  if (choices === undefined)
    return { type, ...others, ...(type === 'array' ? { items: { type: 'string' } } : {}) };
  const isTitled = choices.some(({ value, title }) => title !== String(value));
  const titled = choices.map(({ value, title }) => ({ const: value, title }));
  const values = choices.map(({ value }) => value);
  if (type === 'array')
    return {
      type,
      ...others,
      items: isTitled ? { anyOf: titled } : { type: 'string', enum: values },
    };
  return { type, ...others, ...(isTitled ? { oneOf: titled } : { enum: values }) };
}
