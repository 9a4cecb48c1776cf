import type { JsonObject } from '../../jsonrpc/messages.ts';

/**
 * How long, and for whom, a result may be reused.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
 */
export interface CacheHints {
  /** Milliseconds for which the result is still fresh; less than the server sent when the result is from the cache. */
  readonly ttlMs: number;
  /** `public`: for every user. `private`: for the same authorization only. */
  readonly cacheScope: 'public' | 'private';
}

/** Returns the hints in a result; `undefined` when it has none. */
export function cacheHintsOf({ ttlMs, cacheScope }: JsonObject): CacheHints | undefined {
  if (typeof ttlMs !== 'number') return undefined;
  return { ttlMs, cacheScope: cacheScope === 'public' ? 'public' : 'private' };
}
