import type { InputMethod, InputTypes } from '../../era/codec.ts';
import { isJsonObject } from '../../jsonrpc/envelope.ts';
import { ErrorCode, ProtocolError } from '../../protocol/errors.ts';
import { elicitationProblems } from '../../schema/elicitation-problems.ts';

/**
 * Returns the problems of the content of an accepted form, one sentence each; none for any other
 * input response.
 */
export function inputResponseProblems(
  params: InputTypes[InputMethod]['params'],
  response: InputTypes[InputMethod]['result'],
): readonly string[] {
  if (
    params === undefined ||
    !('requestedSchema' in params) ||
    !('action' in response) ||
    response.action !== 'accept'
  )
    return [];
  return elicitationProblems(params.requestedSchema, response.content ?? {});
}

/**
 * Checks the content of an accepted form.
 * @throws ProtocolError -32602 when it does not fit the form
 */
export function assertFitsForm(
  key: string,
  params: InputTypes[InputMethod]['params'],
  response: InputTypes[InputMethod]['result'],
): void {
  const problems = inputResponseProblems(params, response);
  if (problems.length > 0)
    throw new ProtocolError(
      ErrorCode.invalidParams,
      `The client's response to "${key}" does not fit its form: ${problems.join(' ')}`,
    );
}

/** Adds an id to a URL elicitation. Revisions without ids leave it out when they encode it. */
export function withElicitationId<P>(params: P): P {
  const isUrl = typeof params === 'object' && params !== null && 'url' in params;
  return isUrl ? { elicitationId: crypto.randomUUID(), ...params } : params;
}

/**
 * Whether an error lists URL elicitations, as every error -32042 must.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#url-elicitation-required-error
 */
export function listsUrlElicitations({ data }: ProtocolError): boolean {
  const { elicitations } = isJsonObject(data) ? data : {};
  return Array.isArray(elicitations) && elicitations.length > 0 && elicitations.every(isUrlRequest);
}

/** Adds ids to the elicitations of an error -32042; returns any other error unchanged. */
export function withElicitationIds(error: ProtocolError): ProtocolError {
  const { code, message, data } = error;
  if (code !== ErrorCode.urlElicitationRequired || !listsUrlElicitations(error)) return error;
  const { elicitations, ...rest } = data as { readonly elicitations: readonly unknown[] };
  return new ProtocolError(code, message, {
    data: { ...rest, elicitations: elicitations.map(withElicitationId) },
    cause: error,
  });
}

function isUrlRequest(value: unknown): boolean {
  return isJsonObject(value) && value.mode === 'url' && typeof value.url === 'string';
}
