import type { CreateMessageParams, CreateMessageResult } from '../../protocol/client-features.ts';
import { ErrorCode, ProtocolError } from '../../protocol/errors.ts';
import { toolResultProblem } from '../../protocol/tool-result-problem.ts';
import type { HandlerCapabilities, InputContext, InputHandlers } from './input-handlers.ts';
import { undeclared } from './undeclared.ts';

/**
 * Runs the `sample` handler.
 * @throws ProtocolError -32602 for tools that were not declared, and for tool results that do not match the tool uses before them
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#tool-result-messages
 */
export function sample(
  handler: NonNullable<InputHandlers['sample']>,
  { params, context }: { readonly params: CreateMessageParams; readonly context: InputContext },
  { samplingTools = false }: HandlerCapabilities,
): Promise<CreateMessageResult> {
  if ((params.tools !== undefined || params.toolChoice !== undefined) && !samplingTools)
    throw undeclared('sampling with tools');
  const problem = toolResultProblem(params.messages);
  if (problem !== undefined)
    throw new ProtocolError(ErrorCode.invalidParams, `Invalid params: ${problem}`);
  return handler(params, context);
}
