import type { FuzzMessage, FuzzSession } from './fuzz-target.ts';

/** Key of a response: its id with its type, or `none` without id. */
export type ResponseKey = string;

/**
 * Prefix of the ids of requests that may be cancelled or stay open: they have at most one response.
 */
export const LOOSE_ID = 'loose ';

/**
 * Returns the responses that the specification requires for a message, independent of the code
 * under test.
 */
export function expectedResponses(
  { json }: FuzzMessage,
  session: FuzzSession,
): readonly ResponseKey[] {
  const unreadable = session === '2025-03-26' ? [] : ['none'];
  if (json === undefined) return unreadable;
  const { value } = json;
  if (!Array.isArray(value)) return expectedResponse(value, unreadable);
  return session === '2025-03-26' && value.length > 0
    ? value.flatMap((entry) => expectedResponse(entry, unreadable))
    : unreadable;
}

/** Returns `undefined` for messages that are not responses. */
export function responseKey(value: unknown): ResponseKey | undefined {
  if (typeof value !== 'object' || value === null || 'method' in value) return undefined;
  return 'id' in value ? keyOf(value.id) : 'none';
}

function expectedResponse(
  value: unknown,
  unreadable: readonly ResponseKey[],
): readonly ResponseKey[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return unreadable;
  const { jsonrpc, id, method, params } = value as { readonly [member: string]: unknown };
  if (method === undefined && ('result' in value || 'error' in value)) return [];
  const key = typeof id === 'string' || Number.isSafeInteger(id) ? [keyOf(id)] : unreadable;
  const hasParams =
    params === undefined ||
    (typeof params === 'object' && params !== null && !Array.isArray(params));
  if (jsonrpc !== '2.0' || typeof method !== 'string' || !hasParams) return key;
  return 'id' in value ? key : [];
}

function keyOf(id: unknown): ResponseKey {
  return `${typeof id} ${String(id)}`;
}
