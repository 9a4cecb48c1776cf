import type { InputMethod, InputTypes } from '../../era/codec.ts';
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
