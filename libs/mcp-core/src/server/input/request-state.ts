import { canonicalJson } from '../../jsonrpc/canonical-json.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { nodeCrypto } from '../../jsonrpc/node-crypto.ts';
import { ErrorCode, ProtocolError } from '../../protocol/errors.ts';
import type { JournalRecord } from './journal.ts';

/** Protection of the state that a client carries between the rounds of a request. */
export interface RequestStateOptions {
  /**
   * Secrets of at least 32 characters. The first seals; all open, so that a new secret can be put before an old one. Default: a random secret, so that
   * a state is valid in this server instance only.
   */
  readonly keys?: readonly string[] | undefined;
  /** Time that a client has for its input responses, in milliseconds; default 24 hours. */
  readonly ttlMs?: number | undefined;
  /** Stores which states of destructive calls were used. Default: in memory, the last 100,000; older states are refused. */
  readonly used?: UsedStates | undefined;
  /** Milliseconds since 1970; default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** Ensures that a state is used once. Instances that share keys must share it as well. */
export interface UsedStates {
  /** Returns true for the first call with this nonce, and false for later calls until `expiresAt` (milliseconds since 1970). Atomic. */
  use(nonce: string, expiresAt: number): boolean | Promise<boolean>;
}

/** The request for which a state is valid. */
export interface StateBinding {
  readonly method: string;
  readonly params: JsonObject;
  readonly principal: string | undefined;
}

export interface RequestState {
  readonly nonce: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** Number of the input rounds so far. */
  readonly round: number;
  readonly journal: JournalRecord;
}

const DEFAULT_TTL_MS = 24 * 60 * 60 * 1000;
const MAX_JOURNAL_BYTES = 64 * 1024;
const MIN_KEY_CHARACTERS = 32;
/** Beyond this number the oldest used states are forgotten, and all states of that age are refused. */
const MAX_USED_STATES = 100_000;
const FORMAT = 2;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Seals the journal of a request into the `requestState` that the client carries to the next round (AES-256-GCM). A state opens only for the same
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
        `settings.requestState.keys must have at least one key, and each key at least ${MIN_KEY_CHARACTERS} characters`,
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
        `The journal of ${binding.method} has ${text.length} bytes; a requestState can hold at most ${MAX_JOURNAL_BYTES}`,
      );
    }
    const [key] = this.#keys();
    const iv = nodeCrypto().randomBytes(IV_BYTES);
    // The constructor has checked that there is a key.
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
    // The text was sealed by this class.
    const state = JSON.parse(text) as RequestState;
    if (state.expiresAt <= this.#now())
      throw refusal('this requestState has expired; send the request again without it');
    return state;
  }

  /** Marks a state as used. @throws ProtocolError -32602 when it was used before. */
  async consume({ nonce, expiresAt }: RequestState): Promise<void> {
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
  /** States that expire until then may have been forgotten, and count as used. */
  #forgottenUntil = -Infinity;

  constructor(now: () => number) {
    this.#now = now;
  }

  use(nonce: string, expiresAt: number): boolean {
    if (expiresAt <= this.#forgottenUntil || this.#expiries.has(nonce)) return false;
    // All states live equally long, so those that expired come first.
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

/** Returns the digest of the request without the members that change between rounds, including `_meta`. */
function digestOf({ method, params, principal }: StateBinding): Buffer {
  const { requestState: _state, inputResponses: _responses, _meta: _own, ...rest } = params;
  return nodeCrypto()
    .createHash('sha256')
    .update(canonicalJson([method, principal ?? null, rest]))
    .digest();
}

function refusal(detail: string): ProtocolError {
  return new ProtocolError(ErrorCode.invalidParams, `Invalid params: ${detail}`);
}
