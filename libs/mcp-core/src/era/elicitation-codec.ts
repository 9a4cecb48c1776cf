import { isJsonObject } from '../jsonrpc/envelope.ts';
import type { JsonObject } from '../jsonrpc/messages.ts';
import type { ElicitParams, ElicitResult } from '../protocol/client-features.ts';
import { ErrorCode, LocalError, ProtocolError } from '../protocol/errors.ts';
import type { JsonSchema } from '../protocol/tools.ts';
import type { Revision } from './revision.ts';

const ACTIONS = new Set<unknown>(['accept', 'decline', 'cancel']);

/**
 * Returns `undefined` when the revision lacks elicitation, url mode or multiple choice, whichever
 * the request needs.
 */
export function encodeElicitParams(
  params: ElicitParams,
  revision: Revision,
): JsonObject | undefined {
  if (params.mode === 'url') {
    if (revision.elicitation !== 'form-and-url') return undefined;
    const { elicitationId, ...rest } = params;
    return revision.hasElicitationId ? { ...rest, elicitationId } : rest;
  }
  if (revision.elicitation === 'none') return undefined;
  const properties = Object.entries(propertiesOf(params.requestedSchema)).map(
    ([name, field]) => [name, encodeField(field, revision)] as const,
  );
  if (properties.some(([, field]) => field === undefined)) return undefined;
  const requestedSchema = { ...params.requestedSchema, properties: Object.fromEntries(properties) };
  return {
    message: params.message,
    requestedSchema,
    ...(params.mode === undefined || revision.elicitation !== 'form-and-url'
      ? {}
      : { mode: params.mode }),
  };
}

/** @throws LocalError `invalid-response` */
export function decodeElicitResult(result: JsonObject): ElicitResult {
  const { action, content } = result;
  const isValid =
    ACTIONS.has(action) && (content === undefined || content === null || isJsonObject(content));
  if (!isValid)
    throw new LocalError(
      'invalid-response',
      'The response to elicitation/create must have an action and, if any, an object as content',
      { sent: true },
    );
  const accepted = action === 'accept' && isJsonObject(content) ? { content } : {};
  return { action, ...accepted } as ElicitResult;
}

/**
 * Decodes the params of an elicitation; an absent mode means `form`.
 * @throws ProtocolError -32602
 */
export function decodeElicitParams(params: JsonObject | undefined): ElicitParams {
  const mode = params?.mode ?? 'form';
  const isValid =
    typeof params?.message === 'string' &&
    ((mode === 'form' && isJsonObject(params.requestedSchema)) ||
      (mode === 'url' && typeof params.url === 'string'));
  if (!isValid)
    throw new ProtocolError(
      ErrorCode.invalidParams,
      'Invalid params: elicitation/create needs a message with a requestedSchema (form) or a url (url)',
    );
  return { ...params, mode } as unknown as ElicitParams;
}

/** Encodes an elicitation result; 2025-06-18 has no lists. */
export function encodeElicitResult(answer: ElicitResult, revision: Revision): JsonObject {
  if (answer.content === undefined || revision.elicitation === 'form-and-url') return { ...answer };
  const content = Object.entries(answer.content).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : value,
  ]);
  return { ...answer, content: Object.fromEntries(content) as JsonObject };
}

function propertiesOf(schema: JsonSchema): JsonObject {
  return isJsonObject(schema.properties) ? schema.properties : {};
}

/**
 * Encodes a form field without `pattern`, which no revision has. Returns `undefined` when the field
 * cannot be expressed.
 */
function encodeField(field: unknown, revision: Revision): unknown {
  if (!isJsonObject(field)) return field;
  const { pattern: _unsupported, ...rest } = field;
  if (revision.elicitation === 'form-and-url') return rest;
  if (rest.type === 'array') return undefined;
  const { oneOf, default: initial, ...plain } = rest;
  return {
    ...plain,
    ...(rest.type === 'boolean' && initial !== undefined ? { default: initial } : {}),
    ...namedChoices(oneOf),
  };
}

function namedChoices(oneOf: unknown): JsonObject {
  if (!Array.isArray(oneOf)) return {};
  const choices = oneOf.filter(isJsonObject);
  return {
    enum: choices.map((choice) => choice.const),
    enumNames: choices.map((choice) => choice.title ?? choice.const),
  };
}
