import type { InputMethod, InputTypes } from '../../era/codec.ts';
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

/** Adds an id to a URL elicitation. Revisions without ids leave it out when they encode it. */
export function withElicitationId<P>(params: P): P {
  const isUrl = typeof params === 'object' && params !== null && 'url' in params;
  return isUrl ? { elicitationId: crypto.randomUUID(), ...params } : params;
}
