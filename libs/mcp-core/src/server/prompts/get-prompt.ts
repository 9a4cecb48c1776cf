import { ErrorCode, ProtocolError, shorten } from '../../protocol/errors.ts';
import type { GetPromptResult } from '../../protocol/prompts.ts';
import type { PromptOutput } from './prompt.ts';
import type { PromptTable } from './prompt-table.ts';
import { readString, readStrings } from '../requests/read-params.ts';
import type { ActiveRequest } from '../requests/active-request.ts';
import { HandlerContext } from '../requests/handler-context.ts';

/**
 * Serves `prompts/get`.
 * @throws ProtocolError -32602 for an unknown prompt, a missing required argument, and an argument that is not a string.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#error-handling
 */
export async function getPrompt(
  prompts: PromptTable | undefined,
  request: ActiveRequest,
): Promise<GetPromptResult> {
  const name = readString(request.params, 'name');
  const prompt = prompts?.get(name);
  if (prompt === undefined)
    throw new ProtocolError(ErrorCode.invalidParams, `Unknown prompt: ${shorten(name)}`);
  const args = readStrings(request.params.arguments, 'arguments');
  const missing =
    prompt.arguments?.filter(
      (argument) => argument.required === true && !Object.hasOwn(args, argument.name),
    ) ?? [];
  if (missing.length > 0) {
    throw new ProtocolError(
      ErrorCode.invalidParams,
      `Invalid params: the prompt ${name} requires ${missing.map((argument) => argument.name).join(', ')}`,
    );
  }
  return toResult(await prompt.handler(args as never, new HandlerContext(request)));
}

function toResult(output: PromptOutput): GetPromptResult {
  if (typeof output === 'string')
    return { messages: [{ role: 'user', content: { type: 'text', text: output } }] };
  return 'messages' in output ? output : { messages: output };
}
