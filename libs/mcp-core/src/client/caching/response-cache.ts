import { withinLimit } from '../../jsonrpc/bounded-waits.ts';
import { costOf } from '../../jsonrpc/message-limits.ts';
import type { JsonObject, JsonRpcNotification } from '../../jsonrpc/messages.ts';
import { changedList, type ListKind } from '../../protocol/list-changes.ts';
import { covers } from '../subscriptions/subscription.ts';

/** Limits of the response cache. The server decides how long a result may be reused. */
export interface CacheOptions {
  /** Maximum number of results; default 256, 0 disables the cache. */
  readonly maxEntries?: number | undefined;
  /** Maximum size of all results in bytes of JSON, where each value counts as at least 16; default 16 MiB. */
  readonly maxCharacters?: number | undefined;
  /**
   * Returns the name of the current authorization context; private results are reused within one context only. Default: each set of credentials that the
   * transport sends is a context, so that a refreshed access token begins another.
   */
  readonly authorization?: (() => string) | undefined;
}

interface CachedResult {
  readonly method: string;
  readonly params: JsonObject;
  readonly result: JsonObject;
  readonly freshUntil: number;
  readonly characters: number;
}

/** A request, and the state of the cache when it was sent. A later invalidation prevents its result from being stored. */
export interface CacheTicket {
  readonly method: string;
  readonly params: JsonObject;
  /** Key of a public result, and beginning of the keys of private results. */
  readonly key: string;
  /** The authorization context that the host names. */
  readonly context: string | undefined;
  readonly invalidations: number;
}

const DEFAULT_MAX_ENTRIES = 256;
const DEFAULT_MAX_CHARACTERS = 16 * 1024 * 1024;
/** Milliseconds after which a request is sent because its credentials are not known yet. */
const CREDENTIALS_LIMIT_MS = 3000;

/** The list methods of each kind. */
const LIST_REQUESTS: { readonly [K in ListKind]: readonly string[] } = {
  tools: ['tools/list'],
  prompts: ['prompts/list'],
  resources: ['resources/list', 'resources/templates/list'],
};

/**
 * The reusable results of one server; each page of a list is an entry. The oldest entry is evicted first.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
 */
export class ResponseCache {
  readonly #maxEntries: number;
  readonly #maxCharacters: number;
  readonly #authorization: (() => string) | undefined;
  readonly #entries = new Map<string, CachedResult>();
  #characters = 0;
  #invalidations = 0;

  constructor({
    maxEntries = DEFAULT_MAX_ENTRIES,
    maxCharacters = DEFAULT_MAX_CHARACTERS,
    authorization,
  }: CacheOptions = {}) {
    this.#maxEntries = maxEntries;
    this.#maxCharacters = maxCharacters;
    this.#authorization = authorization;
  }

  /** Returns the ticket of a request. Call before sending; `params` must be without `_meta`. */
  ticket(method: string, params: JsonObject): CacheTicket {
    return {
      method,
      params,
      key: `${method} ${JSON.stringify(params)}`,
      context: this.#authorization?.(),
      invalidations: this.#invalidations,
    };
  }

  /**
   * Returns a fresh result, with the rest of its `ttlMs`. Calls `credentials`, which returns those of
   * the next request, only when there is a private result. Returns none when that fails or takes long.
   */
  find(
    { key, context }: CacheTicket,
    credentials: () => string | Promise<string>,
  ): JsonObject | undefined | Promise<JsonObject | undefined> {
    const shared = this.#fresh(key);
    if (shared !== undefined || !this.#hasPrivate(key)) return shared;
    let found: string | Promise<string>;
    try {
      found = context ?? credentials();
    } catch {
      return undefined;
    }
    if (typeof found === 'string') return this.#fresh(privateKey(key, found));
    const late = found.then(
      (name) => this.#fresh(privateKey(key, name)),
      () => undefined,
    );
    return withinLimit(late, CREDENTIALS_LIMIT_MS);
  }

  /**
   * Stores a result with a positive `ttlMs`, unless the cache was invalidated since its request was
   * sent. `credentials` are those of the request.
   */
  store(ticket: CacheTicket, credentials: string, result: JsonObject): void {
    const { ttlMs, cacheScope } = result;
    if (
      typeof ttlMs !== 'number' ||
      !(ttlMs > 0) ||
      this.#maxEntries <= 0 ||
      ticket.invalidations !== this.#invalidations
    )
      return;
    const characters = costOf(JSON.stringify(result));
    if (characters > this.#maxCharacters) return;
    const { method, params, context = credentials } = ticket;
    this.#drop(ticket.key);
    const key = cacheScope === 'public' ? ticket.key : privateKey(ticket.key, context);
    this.#drop(key);
    this.#entries.set(key, {
      method,
      params,
      result,
      freshUntil: performance.now() + ttlMs,
      characters,
    });
    this.#characters += characters;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxEntries && this.#characters <= this.#maxCharacters) break;
      this.#drop(oldest);
    }
  }

  /** Evicts the entries that the notification makes stale. */
  notified({ method, params }: JsonRpcNotification): void {
    const uri = params?.uri;
    if (method === 'notifications/resources/updated' && typeof uri === 'string') {
      // An update of a resource invalidates the resources that contain it, and its own parts.
      this.evict(
        (entry) =>
          entry.method === 'resources/read' &&
          typeof entry.params.uri === 'string' &&
          (covers(entry.params.uri, uri) || covers(uri, entry.params.uri)),
      );
      return;
    }
    const list = changedList(method);
    if (list !== undefined) this.evict((entry) => LIST_REQUESTS[list].includes(entry.method));
  }

  evict(
    isStale: (entry: { readonly method: string; readonly params: JsonObject }) => boolean,
  ): void {
    this.#invalidations += 1;
    for (const [key, entry] of this.#entries) {
      if (isStale(entry)) this.#drop(key);
    }
  }

  #hasPrivate(key: string): boolean {
    const start = privateKey(key, '');
    for (const each of this.#entries.keys()) if (each.startsWith(start)) return true;
    return false;
  }

  #fresh(key: string): JsonObject | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    const ttlMs = Math.ceil(entry.freshUntil - performance.now());
    if (ttlMs > 0) return { ...entry.result, ttlMs };
    this.#drop(key);
    return undefined;
  }

  #drop(key: string): void {
    this.#characters -= this.#entries.get(key)?.characters ?? 0;
    this.#entries.delete(key);
  }
}

/** Returns the key of a private result; no key of a request is the beginning of that of another. */
function privateKey(key: string, context: string): string {
  return `${key} ${context}`;
}
