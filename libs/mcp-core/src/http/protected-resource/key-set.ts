import {
  createLocalJWKSet,
  errors,
  type CompactJWSHeaderParameters,
  type FlattenedJWSInput,
  type JSONWebKeySet,
  type LocalJWKSet,
} from 'jose';

/** Milliseconds after which the keys are fetched again. */
const MAX_AGE_MS = 600_000;
/** Milliseconds for which keys are used that cannot be fetched again. */
const MAX_STALE_MS = 3_600_000;
/** Milliseconds between two fetches because of unknown keys. */
const COOL_DOWN_MS = 30_000;
/** Milliseconds between two fetches after a failure. */
const RETRY_MS = 5000;

/**
 * The published keys of an issuer. They are fetched when they are first needed, when they are old,
 * and when a token names an unknown key, for that reason at most every 30 seconds.
 */
export class KeySet {
  readonly #fetch: () => Promise<JSONWebKeySet>;
  #keys: LocalJWKSet | undefined;
  #fetchedAt = 0;
  /** The latest fetch, running or settled. */
  #latest: Promise<LocalJWKSet> | undefined;
  #isFetching = false;
  /** Earliest time of the next fetch, and of the next because of an unknown key. */
  #nextFetchAt = 0;
  #nextForUnknownAt = 0;

  constructor(fetch: () => Promise<JSONWebKeySet>) {
    this.#fetch = fetch;
  }

  /**
   * Returns the key of a token.
   * @throws JWKSNoMatchingKey for an unknown key; the error of the fetch
   */
  async keyFor(
    header: CompactJWSHeaderParameters,
    token: FlattenedJWSInput,
  ): ReturnType<LocalJWKSet> {
    const keys = await this.#current();
    try {
      return await keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      // Meanwhile another token may have renewed the keys.
      if (this.#keys !== undefined && this.#keys !== keys) return this.#keys(header, token);
      if (!this.#mayRenewForUnknown()) throw error;
      const renewed = await this.#renew();
      this.#nextForUnknownAt = this.#fetchedAt + COOL_DOWN_MS;
      return renewed(header, token);
    }
  }

  async #current(): Promise<LocalJWKSet> {
    const age = Date.now() - this.#fetchedAt;
    const keys = age < MAX_STALE_MS ? this.#keys : undefined;
    if (keys !== undefined && age < MAX_AGE_MS) return keys;
    if (Date.now() < this.#nextFetchAt) {
      if (keys !== undefined) return keys;
      if (this.#latest !== undefined) return this.#latest;
    }
    return this.#renew().catch((error: unknown) => {
      if (keys === undefined) throw error;
      return keys;
    });
  }

  #mayRenewForUnknown(): boolean {
    if (this.#isFetching) return true;
    return Date.now() >= Math.max(this.#nextFetchAt, this.#nextForUnknownAt);
  }

  #renew(): Promise<LocalJWKSet> {
    if (this.#latest === undefined || !this.#isFetching) this.#latest = this.#fetchKeys();
    return this.#latest;
  }

  async #fetchKeys(): Promise<LocalJWKSet> {
    this.#isFetching = true;
    this.#nextFetchAt = Date.now() + RETRY_MS;
    try {
      const keys = createLocalJWKSet(await this.#fetch());
      this.#keys = keys;
      this.#fetchedAt = Date.now();
      this.#nextFetchAt = 0;
      return keys;
    } finally {
      this.#isFetching = false;
    }
  }
}
