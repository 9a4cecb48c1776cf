import { isJsonObject } from '../jsonrpc/envelope.ts';
import type { JsonObject } from '../jsonrpc/messages.ts';

/** A member of a result that is a list of objects, and the members of each that are strings. */
interface ListShape {
  readonly member: string;
  readonly texts: readonly string[];
}

/** The list in the result of each method. */
export const RESULT_LISTS: { readonly [method: string]: ListShape } = {
  'tools/list': { member: 'tools', texts: ['name'] },
  'resources/list': { member: 'resources', texts: ['uri', 'name'] },
  'resources/templates/list': { member: 'resourceTemplates', texts: ['uriTemplate', 'name'] },
  'resources/read': { member: 'contents', texts: ['uri'] },
  'prompts/list': { member: 'prompts', texts: ['name'] },
  'prompts/get': { member: 'messages', texts: ['role'] },
  'tools/call': { member: 'content', texts: ['type'] },
  'tasks/result': { member: 'content', texts: ['type'] },
  'tasks/list': { member: 'tasks', texts: ['taskId', 'status'] },
  'roots/list': { member: 'roots', texts: ['uri'] },
};

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const areTexts: Check = (value) => Array.isArray(value) && value.every(isText);
const isContent: Check = (value) =>
  Array.isArray(value) ? value.every(isJsonObject) : isJsonObject(value);

/** Other members that the result of a method must have. */
const MEMBERS: { readonly [method: string]: { readonly [member: string]: Check } } = {
  initialize: { protocolVersion: isText, capabilities: isJsonObject },
  'server/discover': { supportedVersions: areTexts, capabilities: isJsonObject },
  'completion/complete': {
    completion: (value) => isJsonObject(value) && areTexts(value.values),
  },
  'tasks/get': { taskId: isText, status: isText },
  'elicitation/create': { action: isText },
  'sampling/createMessage': { role: isText, model: isText, content: isContent },
};

/** Describes why a neutral result of a method has not the shape that its receiver relies on. */
export function resultProblem(method: string, result: unknown): string | undefined {
  if (!isJsonObject(result)) return `it is ${kindOf(result)} and not an object`;
  if (result.resultType !== undefined)
    return 'it has a resultType, which is added when the result is sent';
  const wrong = Object.entries(MEMBERS[method] ?? {}).find(([name, fits]) => !fits(result[name]));
  if (wrong !== undefined) return `${wrong[0]} is missing or malformed`;
  const list = RESULT_LISTS[method];
  return list === undefined ? undefined : listProblem(result, list);
}

function listProblem(result: JsonObject, { member, texts }: ListShape): string | undefined {
  const items = result[member];
  if (!Array.isArray(items)) return `${member} must be a list of objects`;
  const { nextCursor } = result;
  if (nextCursor !== undefined && typeof nextCursor !== 'string')
    return 'nextCursor must be a string';
  for (const [index, item] of items.entries()) {
    if (!isJsonObject(item)) return `${member}[${index}] must be an object`;
    const missing = texts.find((name) => typeof item[name] !== 'string');
    if (missing !== undefined) return `${member}[${index}].${missing} must be a string`;
  }
  return undefined;
}

/** Returns the kind of a value for an error text. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
