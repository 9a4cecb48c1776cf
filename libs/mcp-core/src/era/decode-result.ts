import { isJsonObject } from '../jsonrpc/envelope.ts';
import type { JsonObject } from '../jsonrpc/messages.ts';
import type { DecodedResult } from './codec.ts';
import type { Revision } from './revision.ts';

/** Which member of a result must be a list of objects, by method. */
const LISTS: { readonly [method: string]: string } = {
  'tools/list': 'tools',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'resources/read': 'contents',
  'prompts/list': 'prompts',
  'prompts/get': 'messages',
  'tools/call': 'content',
};

/** The members that later code relies on are checked; everything else passes. */
export function decodeResult(method: string, result: JsonObject, revision: Revision): DecodedResult {
  if (revision.era === 'modern') {
    const { resultType = 'complete' } = result;
    if (resultType === 'input_required') return decodeInputRequired(result);
    if (resultType !== 'complete') return { kind: 'invalid', detail: `unknown resultType ${JSON.stringify(resultType)}` };
  }
  const complete = method === 'tools/call' ? withContent(result) : withoutNullCursor(result);
  const list = LISTS[method];
  if (list !== undefined && !isListOfObjects(complete[list])) return { kind: 'invalid', detail: `${method}: ${list} must be a list of objects` };
  if (complete.nextCursor !== undefined && typeof complete.nextCursor !== 'string') return { kind: 'invalid', detail: `${method}: nextCursor must be a string` };
  return { kind: 'complete', result: complete };
}

function decodeInputRequired(result: JsonObject): DecodedResult {
  const { inputRequests, requestState } = result;
  const isValid =
    (inputRequests !== undefined || requestState !== undefined) &&
    (inputRequests === undefined || isJsonObject(inputRequests)) &&
    (requestState === undefined || typeof requestState === 'string');
  if (!isValid) return { kind: 'invalid', detail: 'input_required needs inputRequests or requestState' };
  return { kind: 'input-required', inputRequests: inputRequests ?? {}, requestState };
}

/** Some servers leave `content` out beside `structuredContent`. */
function withContent(result: JsonObject): JsonObject {
  return result.content === undefined && 'structuredContent' in result ? { ...result, content: [] } : result;
}

/** A client may only look at whether a cursor that is not null was given. @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination */
function withoutNullCursor(result: JsonObject): JsonObject {
  const { nextCursor, ...rest } = result;
  return nextCursor === null ? rest : result;
}

function isListOfObjects(value: unknown): boolean {
  return Array.isArray(value) && value.every(isJsonObject);
}
