import { isJsonObject } from '../jsonrpc/envelope.ts';
import type { JsonObject } from '../jsonrpc/messages.ts';
import { RESULT_LISTS } from '../protocol/result-problem.ts';
import type { DecodedResult } from './codec.ts';
import {
  decodeCreatedTask,
  decodeDetailedTask,
  decodeTaskList,
  decodeTaskSupport,
} from './decode-task-result.ts';
import { knownInputRequests, knownTool } from './known-members.ts';
import type { Revision } from './revision.ts';

/**
 * Decodes a result of a server. Checks the members that later code relies on; removes `resultType`
 * and unknown members of tools and input requests.
 */
export function decodeResult(
  method: string,
  result: JsonObject,
  revision: Revision,
): DecodedResult {
  const created = decodeCreatedTask(method, result, revision.tasks);
  if (created !== undefined) return created;
  if (revision.era === 'legacy') return decodeComplete(method, result, revision);
  const { resultType = 'complete', ...rest } = result;
  if (resultType === 'input_required') return decodeInputRequired(result);
  return resultType === 'complete'
    ? decodeComplete(method, rest, revision)
    : { kind: 'invalid', detail: `unknown resultType ${JSON.stringify(resultType)}` };
}

function decodeComplete(method: string, result: JsonObject, revision: Revision): DecodedResult {
  // The host that sent a custom request reads its result.
  if (!revision.clientRequests.includes(method)) return { kind: 'complete', result };
  if (method === 'tasks/get') return decodeDetailedTask(result, revision.tasks);
  const list = RESULT_LISTS[method]?.member;
  const complete = list === 'content' ? withContent(result) : withoutNullCursor(result);
  if (list !== undefined && !isListOfObjects(complete[list]))
    return { kind: 'invalid', detail: `${method}: ${list} must be a list of objects` };
  if (complete.nextCursor !== undefined && typeof complete.nextCursor !== 'string')
    return { kind: 'invalid', detail: `${method}: nextCursor must be a string` };
  if (method === 'tasks/list') return decodeTaskList(complete, revision.tasks);
  if (method !== 'tools/list') return { kind: 'complete', result: complete };
  const decodeExecution = revision.hasToolExecution ? decodeTaskSupport : withoutExecution;
  const tools = (complete.tools as readonly JsonObject[]).map((tool) =>
    decodeExecution(knownTool(tool)),
  );
  return { kind: 'complete', result: { ...complete, tools } };
}

function decodeInputRequired(result: JsonObject): DecodedResult {
  const { inputRequests, requestState } = result;
  const isValid =
    (inputRequests !== undefined || requestState !== undefined) &&
    (inputRequests === undefined || isJsonObject(inputRequests)) &&
    (requestState === undefined || typeof requestState === 'string');
  if (!isValid)
    return { kind: 'invalid', detail: 'input_required needs inputRequests or requestState' };
  return {
    kind: 'input-required',
    inputRequests: knownInputRequests(inputRequests ?? {}),
    requestState,
  };
}

function withoutExecution(tool: JsonObject): JsonObject {
  if (tool.execution === undefined) return tool;
  const { execution: _unknown, ...others } = tool;
  return others;
}

/** Adds an empty `content`, which some servers omit beside `structuredContent`. */
function withContent(result: JsonObject): JsonObject {
  return result.content === undefined && 'structuredContent' in result
    ? { ...result, content: [] }
    : result;
}

/**
 * Removes a cursor that is null, so that a present cursor means another page.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination
 */
function withoutNullCursor(result: JsonObject): JsonObject {
  if (result.nextCursor !== null) return result;
  const { nextCursor: _none, ...rest } = result;
  return rest;
}

function isListOfObjects(value: unknown): boolean {
  return Array.isArray(value) && value.every(isJsonObject);
}
