import { isJsonObject } from '../jsonrpc/envelope.ts';
import type { JsonObject } from '../jsonrpc/messages.ts';
import { BYTES_PER_PART, costOf } from '../jsonrpc/message-limits.ts';
import type { Implementation } from '../protocol/implementation.ts';
import type { ServerCapabilities } from '../protocol/capabilities.ts';

/**
 * Highest cost (see `costOf`) of an auxiliary member such as `_meta`; a more expensive member is
 * dropped.
 */
const MAX_META_COST = 64 * 1024;
const MAX_NAME_LENGTH = 200;
const MAX_TEXT_LENGTH = 2000;
const MAX_INSTRUCTIONS_LENGTH = 32 * 1024;

const TOOL_MEMBERS = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'execution'];
const BOUNDED_TOOL_MEMBERS = ['annotations', 'icons', '_meta'];
const CAPABILITIES: readonly (keyof ServerCapabilities)[] = [
  'experimental',
  'logging',
  'completions',
  'prompts',
  'resources',
  'tools',
  'tasks',
  'extensions',
];
const QUESTION_MEMBERS: { readonly [method: string]: readonly string[] } = {
  'elicitation/create': ['mode', 'message', 'requestedSchema', 'url', 'elicitationId'],
  'sampling/createMessage': [
    'messages',
    'modelPreferences',
    'systemPrompt',
    'includeContext',
    'temperature',
    'maxTokens',
    'stopSequences',
    'metadata',
    'tools',
    'toolChoice',
  ],
};

/**
 * Drops members of a tool definition that no revision has, so that a server cannot make a client
 * store them.
 */
export function knownTool(tool: JsonObject): JsonObject {
  for (const name in tool)
    if (!TOOL_MEMBERS.includes(name))
      return pickBounded(tool, BOUNDED_TOOL_MEMBERS, pick(tool, TOOL_MEMBERS));
  return tool;
}

/** Drops members of an input request's params that no revision has. */
export function knownInputRequest(method: string, params: JsonObject): JsonObject {
  const members = Object.hasOwn(QUESTION_MEMBERS, method) ? QUESTION_MEMBERS[method] : undefined;
  return pickBounded(params, ['_meta'], pick(params, members ?? []));
}

/**
 * Drops unknown members of each input request of an `input_required` result. Invalid input requests
 * are left for later code to reject.
 */
export function knownInputRequests(requests: JsonObject): JsonObject {
  const known = Object.entries(requests).map(([key, request]) => {
    if (!isJsonObject(request) || typeof request.method !== 'string') return [key, {}] as const;
    const { method, params } = request;
    return [
      key,
      { method, ...(isJsonObject(params) ? { params: knownInputRequest(method, params) } : {}) },
    ] as const;
  });
  return Object.fromEntries(known);
}

/**
 * Keeps the capabilities that the specification names. A capability that is too expensive keeps
 * only its booleans.
 */
export function knownCapabilities(capabilities: JsonObject): ServerCapabilities {
  const known = CAPABILITIES.flatMap((name) => {
    const value = capabilities[name];
    if (!isJsonObject(value)) return value === undefined ? [] : [[name, {}] as const];
    return [[name, isSmall(value) ? value : pickBooleans(value)] as const];
  });
  return Object.fromEntries(known);
}

/** Keeps the known members of a server's implementation, with texts shortened for display. */
export function knownImplementation(info: Implementation): Implementation {
  const text = (name: 'title' | 'description' | 'websiteUrl', maxLength: number): JsonObject =>
    typeof info[name] === 'string' ? { [name]: cut(info[name], maxLength) } : {};
  return {
    name: cut(info.name, MAX_NAME_LENGTH),
    version: cut(info.version, MAX_NAME_LENGTH),
    ...text('title', MAX_NAME_LENGTH),
    ...text('description', MAX_TEXT_LENGTH),
    ...text('websiteUrl', MAX_TEXT_LENGTH),
    ...pickBounded(info as unknown as JsonObject, ['icons']),
  };
}

/** Returns a server's instructions, at most 32 Ki characters. */
export function knownInstructions(instructions: unknown): string | undefined {
  return typeof instructions === 'string' ? cut(instructions, MAX_INSTRUCTIONS_LENGTH) : undefined;
}

interface Members {
  [name: string]: unknown;
}

/** Copies the named members that an object has. */
function pick(object: JsonObject, names: readonly string[], target: Members = {}): Members {
  for (const name of names) if (Object.hasOwn(object, name)) target[name] = object[name];
  return target;
}

/** Copies the named members that an object has and that are not too expensive. */
function pickBounded(object: JsonObject, names: readonly string[], target: Members = {}): Members {
  for (const name of names) {
    const value = Object.hasOwn(object, name) ? object[name] : undefined;
    if (value !== undefined && isSmall(value)) target[name] = value;
  }
  return target;
}

function isSmall(value: unknown): boolean {
  try {
    const text = JSON.stringify(value);
    return text.length * BYTES_PER_PART <= MAX_META_COST || costOf(text) <= MAX_META_COST;
  } catch (error) {
    // Nested too deeply to serialize; a custom transport may deliver such a value.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function pickBooleans(object: JsonObject): JsonObject {
  return pick(
    object,
    ['listChanged', 'subscribe'].filter((name) => typeof object[name] === 'boolean'),
  );
}

function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`;
}
