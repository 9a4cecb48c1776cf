import * as z from 'zod';
import { configSchema } from './config-schema.ts';
import { nearestName } from '../text/nearest-name.ts';

/** Returns one line per problem, each beginning with the JSON path, without values of the file. */
export function describeProblems(error: z.ZodError, input: unknown): readonly string[] {
  return error.issues.flatMap((issue) => describeIssue(issue, input));
}

/** Returns a path such as `mcpServers.files.args[2]`, with unusual names in brackets. */
export function jsonPath(path: readonly PropertyKey[]): string {
  const written = path.map((part) => {
    if (typeof part === 'number') return `[${part}]`;
    return /^[\w$-]+$/.test(String(part))
      ? `.${String(part)}`
      : `[${JSON.stringify(String(part))}]`;
  });
  return written.join('').replace(/^\./, '');
}

const KEYS =
  'keys are read from environment variables only: OPENAI_API_KEY, ANTHROPIC_API_KEY, or the variable that key_variable of a provider names';

const SECRETS: { readonly [field: string]: string } = {
  token: 'the token is read from the environment variable SIGNALBOX_TOKEN only',
  api_key: KEYS,
  apiKey: KEYS,
};

function describeIssue(issue: z.core.$ZodIssue, input: unknown): readonly string[] {
  const location = jsonPath(issue.path) || 'the file';
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map(
        (key) =>
          `${jsonPath([...issue.path, key])}: ${describeUnknown(key, knownNames(issue.path))}`,
      );
    case 'invalid_type':
      return [
        `${location}: ${valueAt(input, issue.path) === undefined ? `is missing; it must be ${article(issue.expected)}` : `must be ${article(issue.expected)}`}`,
      ];
    case 'invalid_value':
      return [
        `${location}: must be ${issue.values
          .map((value) => JSON.stringify(value))
          .join(', ')
          .replace(/, (?=[^,]*$)/, ' or ')}`,
      ];
    case 'invalid_key':
      return [`${location}: ${issue.issues[0]?.message ?? issue.message}`];
    case 'too_small':
      return [
        `${location}: ${issue.origin === 'string' ? 'must not be empty' : `must be at least ${issue.minimum}`}`,
      ];
    case 'too_big':
      return [`${location}: must be at most ${issue.maximum}`];
    case 'custom':
    case 'invalid_element':
    case 'invalid_format':
    case 'invalid_union':
    case 'not_multiple_of':
      return [`${location}: ${issue.message}`];
  }
}

function describeUnknown(key: string, known: readonly string[]): string {
  const secret = SECRETS[key];
  if (secret !== undefined) return `not allowed here: ${secret}`;
  const nearest = nearestName(key, known);
  return nearest === undefined
    ? `unknown; known are ${known.join(', ')}`
    : `unknown; did you mean "${nearest}"?`;
}

function knownNames(path: readonly PropertyKey[]): readonly string[] {
  let schema: unknown = configSchema;
  for (const part of path) {
    schema = unwrap(schema);
    if (schema instanceof z.ZodObject) schema = schema.shape[String(part)];
    else if (schema instanceof z.ZodRecord) schema = schema.valueType;
  }
  schema = unwrap(schema);
  return schema instanceof z.ZodObject
    ? Object.keys(schema.shape).filter((name) => name !== '$schema')
    : [];
}

function unwrap(schema: unknown): unknown {
  return schema instanceof z.ZodOptional ? schema.unwrap() : schema;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as { readonly [name: PropertyKey]: unknown })[part];
  }
  return value;
}

function article(expected: string): string {
  const names: { readonly [expected: string]: string } = {
    record: 'an object',
    object: 'an object',
    array: 'an array',
    int: 'a whole number',
    boolean: 'true or false',
  };
  return names[expected] ?? `a ${expected}`;
}
