import type { InputMethod, InputTypes } from '../../era/codec.ts';
import { elicitationProblems } from '../../schema/elicitation-problems.ts';

/** What is wrong with the content of an accepted form, one sentence each; nothing with any other answer. */
export function inputResponseProblems(
  params: InputTypes[InputMethod]['params'],
  answer: InputTypes[InputMethod]['result'],
): readonly string[] {
  if (
    params === undefined ||
    !('requestedSchema' in params) ||
    !('action' in answer) ||
    answer.action !== 'accept'
  )
    return [];
  return elicitationProblems(params.requestedSchema, answer.content ?? {});
}
