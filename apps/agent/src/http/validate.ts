import type { FastifySchemaCompiler } from 'fastify';
import * as z from 'zod';
import { lostMembers } from './lost-members.ts';
import { nearestName } from '../text/nearest-name.ts';

/** Validates the parts of a request, with messages in plain words. */
export const validateRequest: FastifySchemaCompiler<z.ZodType> =
  ({ schema }) =>
  (data: unknown) => {
    const { success, data: value, error } = schema.safeParse(data, { error: messageOf });
    if (!success) return { error: new RequestError(error.issues) };
    const lost = lostMembers(data, value);
    return lost.length === 0 ? { value } : { error: new RequestError(lost.map(refusalOf)) };
  };

function refusalOf(path: readonly string[]): RequestError['issues'][number] {
  return { path, message: `must have another name; ${String(path.at(-1))} is not allowed` };
}

/** Validates the parts of a request except the body, which the route validates. */
export function validateAllButBody(part: {
  readonly schema: unknown;
  readonly method: string;
  readonly url: string;
  readonly httpPart?: string;
}): ReturnType<typeof validateRequest> {
  return part.httpPart === 'body'
    ? (body: unknown) => ({ value: body })
    : // Every schema of a route is a zod schema.
      validateRequest({ ...part, schema: part.schema as z.ZodType });
}

/** Validation errors of one part of a request. */
export class RequestError extends Error {
  readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
  /** Part of the request, set by Fastify: body, querystring, params or headers. */
  validationContext?: string;

  constructor(issues: RequestError['issues']) {
    super('the request is not valid');
    this.name = 'RequestError';
    this.issues = issues;
  }
}

const TYPES: { readonly [type: string]: string } = {
  string: 'text',
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

function messageOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? 'is required'
        : `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return oneOf(issue.values.map(String), issue.input);
    case 'unrecognized_keys':
      return issue.keys.map((key) => unknownField(key, fieldsOf(issue.inst))).join('; ');
    case 'too_small':
      return `must ${bound('at least', issue.origin, issue.minimum)}`;
    case 'too_big':
      return `must ${bound('at most', issue.origin, issue.maximum)}`;
    case 'invalid_union':
      return unionMessage(issue.errors);
    default:
      return undefined;
  }
}

function bound(words: string, origin: string, value: number | bigint): string {
  if (origin === 'string') return `have ${words} ${value} character${value === 1 ? '' : 's'}`;
  if (origin === 'array' || origin === 'set')
    return `have ${words} ${value} item${value === 1 ? '' : 's'}`;
  return `be ${words} ${value}`;
}

function oneOf(values: readonly string[], input: unknown): string {
  const near = typeof input === 'string' ? nearestName(input, values) : undefined;
  return `must be ${values.length === 1 ? '' : 'one of '}${values.join(', ')}${near === undefined ? '' : `; did you mean ${near}?`}`;
}

function unknownField(name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  return `has no field ${JSON.stringify(name)}${near === undefined ? '' : `; did you mean ${near}?`}`;
}

/**
 * Returns the most specific message of the alternatives: about a wrong value rather than a wrong
 * type.
 */
function unionMessage(
  errors: readonly (readonly { readonly code?: string; readonly message: string }[])[],
): string | undefined {
  const firsts = errors.flatMap(([first]) => (first === undefined ? [] : [first]));
  return (firsts.find(({ code }) => code !== 'invalid_type') ?? firsts[0])?.message;
}

function fieldsOf(schema: unknown): readonly string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}
