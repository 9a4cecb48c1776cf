import { isJsonObject } from '../../jsonrpc/envelope.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { LocalError } from '../../protocol/errors.ts';
import type { GetPromptResult } from '../../protocol/prompts.ts';

/** The required string members of each content type. */
const TEXT_MEMBERS: { readonly [type: string]: readonly string[] } = {
  text: ['text'],
  image: ['data', 'mimeType'],
  audio: ['data', 'mimeType'],
  resource_link: ['uri', 'name'],
};

/** Reads a result of `prompts/get`, whose messages are a list of objects. @throws LocalError `invalid-response` */
export function readPromptResult({ description, ...result }: JsonObject): GetPromptResult {
  const messages = result.messages as readonly JsonObject[];
  const index = messages.findIndex((message) => !isPromptMessage(message));
  if (index !== -1)
    throw new LocalError(
      'invalid-response',
      `The server's result is unusable: prompts/get: message ${index} must have a role and a content block`,
      { sent: true },
    );
  return {
    ...result,
    ...(typeof description === 'string' ? { description } : {}),
  } as unknown as GetPromptResult;
}

function isPromptMessage({ role, content }: JsonObject): boolean {
  if (role !== 'user' && role !== 'assistant') return false;
  if (!isJsonObject(content) || typeof content.type !== 'string') return false;
  if (content.type === 'resource')
    return isJsonObject(content.resource) && typeof content.resource.uri === 'string';
  const members = Object.hasOwn(TEXT_MEMBERS, content.type)
    ? TEXT_MEMBERS[content.type]
    : undefined;
  return members?.every((member) => typeof content[member] === 'string') ?? true;
}
