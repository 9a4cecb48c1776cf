import type { ElicitParams, ElicitResult } from '../../protocol/client-features.ts';
import { LocalError } from '../../protocol/errors.ts';
import { elicitationProblems, withElicitationDefaults } from '../../schema/elicitation-problems.ts';
import type { HandlerCapabilities, InputContext, InputHandlers } from './input-handlers.ts';
import { undeclared } from './undeclared.ts';

/**
 * Runs the `elicit` handler and validates the content of an accepted form.
 * @throws ProtocolError -32602 for a mode that was not declared; LocalError `invalid-argument` for content that does not fit the form
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation
 */
export async function elicit(
  handler: NonNullable<InputHandlers['elicit']>,
  { params, context }: { readonly params: ElicitParams; readonly context: InputContext },
  { elicitationForm = true, elicitationUrl = false, applyDefaults = false }: HandlerCapabilities,
): Promise<ElicitResult> {
  if (params.mode === 'url') {
    if (!elicitationUrl) throw undeclared('url elicitation');
    return handler(params, context);
  }
  if (!elicitationForm) throw undeclared('form elicitation');
  const result = await handler(params, context);
  if (result.action !== 'accept') return result;
  const content = applyDefaults
    ? withElicitationDefaults(params.requestedSchema, result.content)
    : result.content;
  const problems = elicitationProblems(params.requestedSchema, content);
  if (problems.length > 0)
    throw new LocalError(
      'invalid-argument',
      `The content of an accepted form does not fit its schema: ${problems.join(' ')}`,
    );
  // It fits the schema, whose fields have no other types.
  return { ...result, content: content as NonNullable<ElicitResult['content']> };
}
