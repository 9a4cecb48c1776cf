import { isJsonObject } from '../../jsonrpc/envelope.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { nodeCrypto } from '../../jsonrpc/node-crypto.ts';
import { ErrorCode, ProtocolError } from '../../protocol/errors.ts';
import type { JournalRecord } from './journal.ts';

export interface RequestStateOptions {
  /**
   * Secrets of at least 32 characters: the first seals, all of them open, so that a new one is put before the old. Default: one random key for this
   * server, so that a request that waits for an answer does not survive it, nor reach another instance.
   */
  readonly keys?: readonly string[];
  /** How long a client may take to answer, in milliseconds; default 24 hours. */
  readonly ttlMs?: number;
  /** Remembers the states of destructive calls that were used. Default: in memory, the last 100,000; older states are then refused as if they were used. */
  readonly used?: UsedStates;
  /** Milliseconds since 1970; default `Date.now`. */
  readonly now?: () => number;
}

/** Makes sure that a state is used once. Instances that share keys must share this as well. */
export interface UsedStates {
  /** True for the first call with this nonce until `expiresAt` (milliseconds since 1970), else false. Atomic. */
  use(nonce: string, expiresAt: number): boolean | Promise<boolean>;
}

/** What a state is valid for. */
export interface StateBinding {
  readonly method: string;
  readonly params: JsonObject;
  readonly principal: string | undefined;
}

export interface RequestState {
  readonly nonce: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** How many rounds of questions there were. */
  readonly round: number;
  readonly journal: JournalRecord;
}

const DEFAULT_TTL_MS = 24 * 60 * 60 * 1000;
const MAX_JOURNAL_BYTES = 64 * 1024;
const MIN_KEY_CHARACTERS = 32;
/** Beyond them the memory of used states forgets the oldest, and refuses whatever is as old. */
const MAX_USED_STATES = 100_000;
const FORMAT = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Seals what a request has learned into the opaque text that the client carries to its next round (AES-256-GCM). A state opens only for the same
 * principal, method and params, and until it expires.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export class RequestStates {
  readonly #secrets: readonly string[] | undefined;
  #derivedKeys: readonly Buffer[] | undefined;
  readonly #ttlMs: number;
  readonly #now: () => number;
  readonly #used: UsedStates;

  /** @throws Error when a key is too short. */
  constructor({ keys, ttlMs = DEFAULT_TTL_MS, used, now = Date.now }: RequestStateOptions = {}) {
    if (
      keys !== undefined &&
      (keys.length === 0 || keys.some((key) => key.length < MIN_KEY_CHARACTERS))
    ) {
      throw new Error(
        `Each request state key needs at least ${String(MIN_KEY_CHARACTERS)} characters, and there must be one`,
      );
    }
    this.#secrets = keys;
    this.#ttlMs = ttlMs;
    this.#now = now;
    this.#used = used ?? new UsedStatesInMemory(now);
  }

  /** @throws Error when the journal is larger than 64 KiB. */
  seal(binding: StateBinding, round: number, journal: JournalRecord): string {
    const state: RequestState = {
      nonce: nodeCrypto().randomUUID(),
      expiresAt: this.#now() + this.#ttlMs,
      round,
      journal,
    };
    const text = Buffer.from(JSON.stringify(state));
    if (text.length > MAX_JOURNAL_BYTES) {
      throw new Error(
        `The journal of ${binding.method} has ${String(text.length)} bytes; at most ${String(MAX_JOURNAL_BYTES)} can travel with the client`,
      );
    }
    const [key] = this.#keys();
    const iv = nodeCrypto().randomBytes(IV_BYTES);
    // The constructor has made sure of the key.
    const cipher = nodeCrypto()
      .createCipheriv('aes-256-gcm', key as Buffer, iv)
      .setAAD(digestOf(binding));
    const sealed = Buffer.concat([cipher.update(text), cipher.final()]);
    return Buffer.concat([Buffer.of(FORMAT), iv, sealed, cipher.getAuthTag()]).toString(
      'base64url',
    );
  }

  /** @throws ProtocolError -32602 when the state was not issued here for this request, was changed, or has expired. */
  open(binding: StateBinding, sealed: unknown): RequestState {
    if (typeof sealed !== 'string') throw refusal('requestState must be a string');
    const bytes = Buffer.from(sealed, 'base64url');
    const isWhole =
      bytes[0] === FORMAT &&
      bytes.length > 1 + IV_BYTES + TAG_BYTES &&
      bytes.toString('base64url') === sealed;
    const text = isWhole ? this.#decrypt(bytes, digestOf(binding)) : undefined;
    if (text === undefined) throw refusal('this requestState was not issued here for this request');
    // Only what was sealed here opens.
    const state = JSON.parse(text) as RequestState;
    if (state.expiresAt <= this.#now())
      throw refusal('this requestState has expired; send the request again without it');
    return state;
  }

  /** Makes a state unusable. @throws ProtocolError -32602 when it was used before. */
  async use({ nonce, expiresAt }: RequestState): Promise<void> {
    if (!(await this.#used.use(nonce, expiresAt)))
      throw refusal('this requestState was used before; send the request again without it');
  }

  #keys(): readonly Buffer[] {
    if (this.#derivedKeys !== undefined) return this.#derivedKeys;
    const { hkdfSync, randomBytes } = nodeCrypto();
    const secrets = this.#secrets ?? [randomBytes(32).toString('base64')];
    this.#derivedKeys = secrets.map((secret) =>
      Buffer.from(hkdfSync('sha256', secret, 'signalbox', 'request state', 32)),
    );
    return this.#derivedKeys;
  }

  #decrypt(bytes: Buffer, binding: Buffer): string | undefined {
    const iv = bytes.subarray(1, 1 + IV_BYTES);
    const sealed = bytes.subarray(1 + IV_BYTES, -TAG_BYTES);
    for (const key of this.#keys()) {
      const decipher = nodeCrypto()
        .createDecipheriv('aes-256-gcm', key, iv)
        .setAAD(binding)
        .setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        return Buffer.concat([decipher.update(sealed), decipher.final()]).toString('utf8');
      } catch {
        // Sealed with another key, or not by us.
      }
    }
    return undefined;
  }
}

class UsedStatesInMemory implements UsedStates {
  readonly #expiries = new Map<string, number>();
  readonly #now: () => number;
  /** What expires until then may have been forgotten, and counts as used. */
  #forgottenUntil = -Infinity;

  constructor(now: () => number) {
    this.#now = now;
  }

  use(nonce: string, expiresAt: number): boolean {
    if (expiresAt <= this.#forgottenUntil || this.#expiries.has(nonce)) return false;
    // In the order of their use, and all live equally long: the expired ones come first.
    for (const [other, expiry] of this.#expiries) {
      const isExpired = expiry <= this.#now();
      if (!isExpired && this.#expiries.size < MAX_USED_STATES) break;
      this.#expiries.delete(other);
      if (!isExpired) this.#forgottenUntil = Math.max(this.#forgottenUntil, expiry);
    }
    this.#expiries.set(nonce, expiresAt);
    return true;
  }
}

/** The members that belong to a round and not to the request are left out; `_meta` may differ between rounds. */
function digestOf({ method, params, principal }: StateBinding): Buffer {
  const { requestState: _state, inputResponses: _responses, _meta: _own, ...rest } = params;
  return nodeCrypto()
    .createHash('sha256')
    .update(JSON.stringify([method, principal ?? null, rest], sortedMembers))
    .digest();
}

function sortedMembers(_member: string, value: unknown): unknown {
  return isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value;
}

function refusal(detail: string): ProtocolError {
  return new ProtocolError(ErrorCode.invalidParams, `Invalid params: ${detail}`);
}
