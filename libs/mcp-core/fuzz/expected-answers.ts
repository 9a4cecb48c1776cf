import type { FuzzMessage, FuzzSession } from './fuzz-target.ts';

/** Key of a response: its id with its type, or `none` without id. */
export type AnswerKey = string;

/**
 * Prefix of the ids of requests that may be cancelled or stay open: they have at most one response.
 */
export const LOOSE_ID = 'loose ';

/**
 * Returns the responses that the specification requires for a message, independent of the code
 * under test.
 */
export function expectedAnswers({ json }: FuzzMessage, session: FuzzSession): readonly AnswerKey[] {
  const unreadable = session === '2025-03-26' ? [] : ['none'];
  if (json === undefined) return unreadable;
  const { value } = json;
  if (!Array.isArray(value)) return expectedAnswer(value, unreadable);
  return session === '2025-03-26' && value.length > 0
    ? value.flatMap((entry) => expectedAnswer(entry, unreadable))
    : unreadable;
}

/** Returns `undefined` for messages that are not responses. */
export function answerKey(value: unknown): AnswerKey | undefined {
  if (typeof value !== 'object' || value === null || 'method' in value) return undefined;
  return 'id' in value ? keyOf(value.id) : 'none';
}

function expectedAnswer(value: unknown, unreadable: readonly AnswerKey[]): readonly AnswerKey[] {
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

function keyOf(id: unknown): AnswerKey {
  return `${typeof id} ${String(id)}`;
}
