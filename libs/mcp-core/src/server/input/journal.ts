import type { InputMethod, InputTypes } from '../../era/codec.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { nodeCrypto } from '../../jsonrpc/node-crypto.ts';
import type { KeyedInputRequest, ReadInputResponse } from './input-requests.ts';

/** The content of a journal as JSON. */
export interface JournalRecord {
  /** The accepted input responses: the digest of the input request, and the response. */
  readonly responses: { readonly [key: string]: readonly [digest: string, response: unknown] };
  /** The results of `once`: a list of one, or an empty list for `undefined`. */
  readonly effects: { readonly [key: string]: readonly unknown[] };
  /** Digests of the input requests of the last round; absent when they are unknown. */
  readonly requested?: { readonly [key: string]: string };
}

/** The record of a request without earlier rounds. */
export const EMPTY_RECORD: JournalRecord = { responses: {}, effects: {}, requested: {} };

/** The record of a request whose earlier rounds are unknown: every response that fits its input request is accepted. */
export const UNKNOWN_RECORD: JournalRecord = { responses: {}, effects: {} };

/** The reason with which a modern handler's signal aborts, and its input requests reject, when the client must respond first. The handler then runs again. */
export class Suspended extends Error {
  constructor() {
    super('The handler runs again when the client has responded to its input requests');
    this.name = 'Suspended';
  }
}

export interface JournalOptions {
  readonly earlier: JournalRecord;
  /** Input responses of the current round. */
  readonly received: JsonObject;
  readonly read: ReadInputResponse;
  /** Called once, when the round is complete. */
  readonly onSuspended: (reason: Suspended) => void;
}

/**
 * Lets a handler run again from its start without repeating its effects: it finds input responses and finished effects by key. The first input request
 * without a response suspends the handler at the end of the turn of the event loop; the input requests made until then belong to the same round.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export class Journal {
  readonly #earlier: JournalRecord;
  readonly #received: JsonObject;
  readonly #read: ReadInputResponse;
  readonly #responses = new Map<string, readonly [digest: string, response: unknown]>();
  readonly #effects = new Map<string, readonly unknown[]>();
  readonly #open = new Map<
    string,
    { readonly digest: string; readonly inputRequest: KeyedInputRequest<InputMethod> }
  >();
  readonly #running = new Map<string, Promise<unknown>>();
  readonly #rejections: ((reason: Suspended) => void)[] = [];
  readonly #onSuspended: (reason: Suspended) => void;
  #suspended: Suspended | undefined;

  constructor({ earlier, received, read, onSuspended }: JournalOptions) {
    this.#earlier = earlier;
    this.#received = received;
    this.#read = read;
    this.#onSuspended = onSuspended;
  }

  /** Whether an input request has no response yet, so that the handler must run again. */
  get isSuspended(): boolean {
    return this.#open.size > 0;
  }

  /** Whether the handler repeats an earlier run, whose progress and log messages were sent before. */
  get isReplaying(): boolean {
    const known = Object.keys({ ...this.#earlier.responses, ...this.#earlier.requested });
    return !this.isSuspended && known.some((key) => !this.#responses.has(key));
  }

  /** The input requests of this round. */
  get inputRequests(): readonly KeyedInputRequest<InputMethod>[] {
    return [...this.#open.values()].map(({ inputRequest }) => inputRequest);
  }

  /** Resolves with the response, or rejects with `Suspended`. @throws Error when the key belongs to another input request of this run */
  ask<M extends InputMethod>(inputRequest: KeyedInputRequest<M>): Promise<InputTypes[M]['result']> {
    if (this.#suspended !== undefined) return Promise.reject(this.#suspended);
    const digest = digestOf([inputRequest.method, inputRequest.params ?? null]);
    const { key } = inputRequest;
    const known = this.#responses.get(key)?.[0] ?? this.#open.get(key)?.digest;
    if (known !== undefined && known !== digest)
      return Promise.reject(
        new Error(`Two different input requests have the key ${JSON.stringify(key)}`),
      );
    const response = this.#find(inputRequest, digest);
    if (response === undefined) return this.#suspend(inputRequest, digest);
    this.#responses.set(key, [digest, response]);
    return Promise.resolve(response);
  }

  /** Runs an effect unless an earlier run stored its result. */
  once<T>(key: string, run: () => T | Promise<T>): Promise<T> {
    const running = this.#running.get(key) ?? this.#runOnce(key, run);
    this.#running.set(key, running);
    // The caller's `T` is trusted: the same key always holds the same type.
    return running as Promise<T>;
  }

  /** Resolves when every started effect has ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running.values());
  }

  /** Returns the record for the next run. Call it when the handler and its effects have ended. */
  record(): JournalRecord {
    return {
      responses: { ...this.#earlier.responses, ...Object.fromEntries(this.#responses) },
      effects: { ...this.#earlier.effects, ...Object.fromEntries(this.#effects) },
      requested: Object.fromEntries([...this.#open].map(([key, { digest }]) => [key, digest])),
    };
  }

  #find<M extends InputMethod>(
    inputRequest: KeyedInputRequest<M>,
    digest: string,
  ): InputTypes[M]['result'] | undefined {
    const { key } = inputRequest;
    const { requested, responses } = this.#earlier;
    const [earlierDigest, response] =
      (Object.hasOwn(responses, key) ? responses[key] : undefined) ?? [];
    // The digest includes the method, so the response has its type.
    if (earlierDigest === digest) return response as InputTypes[M]['result'];
    const wasRequested =
      requested === undefined || (Object.hasOwn(requested, key) && requested[key] === digest);
    return wasRequested && Object.hasOwn(this.#received, key)
      ? this.#read(inputRequest, this.#received[key] as JsonObject)
      : undefined;
  }

  #suspend<M extends InputMethod>(
    inputRequest: KeyedInputRequest<M>,
    digest: string,
  ): Promise<never> {
    if (!this.isSuspended) setImmediate(() => this.#completeRound());
    this.#open.set(inputRequest.key, { digest, inputRequest });
    return new Promise<never>((_resolve, reject) => {
      this.#rejections.push(reject);
    });
  }

  #completeRound(): void {
    const reason = new Suspended();
    this.#suspended = reason;
    this.#onSuspended(reason);
    for (const reject of this.#rejections) reject(reason);
  }

  async #runOnce(key: string, run: () => unknown): Promise<unknown> {
    const earlier = Object.hasOwn(this.#earlier.effects, key)
      ? this.#earlier.effects[key]
      : undefined;
    if (earlier !== undefined) return earlier[0];
    if (this.#suspended !== undefined) throw this.#suspended;
    const text = JSON.stringify(await run()) as string | undefined;
    const effect = text === undefined ? [] : [JSON.parse(text) as unknown];
    this.#effects.set(key, effect);
    return effect[0];
  }
}

function digestOf(value: unknown): string {
  return nodeCrypto()
    .createHash('sha256')
    .update(JSON.stringify(value))
    .digest('base64url')
    .slice(0, 22);
}
