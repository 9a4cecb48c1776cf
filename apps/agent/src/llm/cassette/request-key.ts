import { canonicalJson } from '@signalbox/mcp-core';
import { isPlainObject } from '../../json/plain-object.ts';

/** Fields that identify a conversation or user at the provider and differ between runs. */
const VOLATILE_FIELDS: ReadonlySet<string> = new Set([
  'prompt_cache_key',
  'safety_identifier',
  'user',
  'metadata',
]);
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

/**
 * Returns the part of a request body that must match for a recorded response to apply: everything
 * but the volatile fields at its root, with UUIDs numbered by appearance.
 */
export function comparableRequest(body: unknown): unknown {
  if (!isPlainObject(body)) return body;
  const kept = Object.fromEntries(
    Object.entries(body).filter(([name]) => !VOLATILE_FIELDS.has(name)),
  );
  const numbers = new Map<string, number>();
  const numberOf = (id: string): string => {
    const known = numbers.get(id.toLowerCase()) ?? numbers.size + 1;
    numbers.set(id.toLowerCase(), known);
    return `uuid-${known}`;
  };
  return JSON.parse(canonicalJson(kept).replace(UUID, numberOf)) as unknown;
}
