import type { InputMethod, InputTypes } from '../../era/codec.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { nodeCrypto } from '../../jsonrpc/node-crypto.ts';
import type { KeyedInputRequest } from '../requests/era-port.ts';

/** What a journal holds, as JSON. */
export interface JournalRecord {
  /** Questions that were answered: the digest of each, and its answer. */
  readonly answers: { readonly [key: string]: readonly [digest: string, answer: unknown] };
  /** Results of `once`: a list of one, or of none for `undefined`. */
  readonly effects: { readonly [key: string]: readonly unknown[] };
  /** Digests of the questions asked in the last round; when it is missing, any may have been asked. */
  readonly asked?: { readonly [key: string]: string };
}

/** Nothing was asked yet. */
export const EMPTY_RECORD: JournalRecord = { answers: {}, effects: {}, asked: {} };

/** What was asked is not known: every answer that fits its question is taken. */
export const UNKNOWN_RECORD: JournalRecord = { answers: {}, effects: {} };

/** Reads the client's answer to a question; `undefined` when it does not fit and must be asked again. */
export type InputResponseReader = <M extends InputMethod>(
  question: KeyedInputRequest<M>,
  response: JsonObject,
) => InputTypes[M]['result'] | undefined;

/**
 * The reason with which the signal of a modern handler aborts, and its questions reject, when a question is on the way to the
 * client. The handler runs again with the answer.
 */
export class Suspended extends Error {
  constructor() {
    super('The request goes on when the client has answered');
    this.name = 'Suspended';
  }
}

/**
 * Lets a handler run again from its start without repeating what it did: answered questions and finished effects are looked up by key. The first
 * question without an answer suspends the handler at the end of the turn of the event loop; what is asked until then belongs to the same round.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export class Journal {
  /** Called once, when the round of questions is complete. */
  onSuspended: ((reason: Suspended) => void) | undefined;
  readonly #earlier: JournalRecord;
  readonly #responses: JsonObject;
  readonly #readAnswer: InputResponseReader;
  readonly #answers = new Map<string, readonly [digest: string, answer: unknown]>();
  readonly #effects = new Map<string, readonly unknown[]>();
  readonly #asked = new Map<
    string,
    { readonly digest: string; readonly question: KeyedInputRequest<InputMethod> }
  >();
  readonly #running = new Map<string, Promise<unknown>>();
  readonly #stopped: ((reason: Suspended) => void)[] = [];
  #suspended: Suspended | undefined;

  constructor(earlier: JournalRecord, responses: JsonObject, readAnswer: InputResponseReader) {
    this.#earlier = earlier;
    this.#responses = responses;
    this.#readAnswer = readAnswer;
  }

  /** Whether a question has no answer yet, so that the handler must run again. */
  get isSuspended(): boolean {
    return this.#asked.size > 0;
  }

  /** Whether the handler is still where it was before: what it reports then has been reported. */
  get isReplaying(): boolean {
    const known = Object.keys({ ...this.#earlier.answers, ...this.#earlier.asked });
    return !this.isSuspended && known.some((key) => !this.#answers.has(key));
  }

  /** The questions of this round. */
  get questions(): readonly KeyedInputRequest<InputMethod>[] {
    return [...this.#asked.values()].map(({ question }) => question);
  }

  /** Resolves with the answer, or rejects with `Suspended`. @throws Error when the key names another question of this run. */
  ask<M extends InputMethod>(question: KeyedInputRequest<M>): Promise<InputTypes[M]['result']> {
    if (this.#suspended !== undefined) return Promise.reject(this.#suspended);
    const digest = digestOf([question.method, question.params ?? null]);
    const known = this.#answers.get(question.key)?.[0] ?? this.#asked.get(question.key)?.digest;
    if (known !== undefined && known !== digest)
      return Promise.reject(
        new Error(`Two different questions have the key ${JSON.stringify(question.key)}`),
      );
    const answer = this.#find(question, digest);
    if (answer === undefined) return this.#suspend(question, digest);
    this.#answers.set(question.key, [digest, answer]);
    return Promise.resolve(answer);
  }

  /** Runs an effect unless an earlier run of the handler has its result. */
  once<T>(key: string, run: () => T | Promise<T>): Promise<T> {
    const running = this.#running.get(key) ?? this.#runOnce(key, run);
    this.#running.set(key, running);
    // Who wrote the result under this key has its type.
    return running as Promise<T>;
  }

  /** Resolves when every effect that was started has ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running.values());
  }

  /** What the next run needs. Call it when the handler and its effects have ended. */
  record(): JournalRecord {
    return {
      answers: { ...this.#earlier.answers, ...Object.fromEntries(this.#answers) },
      effects: { ...this.#earlier.effects, ...Object.fromEntries(this.#effects) },
      asked: Object.fromEntries([...this.#asked].map(([key, { digest }]) => [key, digest])),
    };
  }

  #find<M extends InputMethod>(
    question: KeyedInputRequest<M>,
    digest: string,
  ): InputTypes[M]['result'] | undefined {
    const { key } = question;
    const [digestThen, answer] =
      (Object.hasOwn(this.#earlier.answers, key) ? this.#earlier.answers[key] : undefined) ?? [];
    // The answer was written for this digest, which is that of the same method.
    if (digestThen === digest) return answer as InputTypes[M]['result'];
    const { asked } = this.#earlier;
    const wasAsked = asked === undefined || (Object.hasOwn(asked, key) && asked[key] === digest);
    return wasAsked && Object.hasOwn(this.#responses, key)
      ? this.#readAnswer(question, this.#responses[key] as JsonObject)
      : undefined;
  }

  #suspend<M extends InputMethod>(question: KeyedInputRequest<M>, digest: string): Promise<never> {
    if (!this.isSuspended) setImmediate(() => this.#stop());
    this.#asked.set(question.key, { digest, question });
    return new Promise<never>((_resolve, reject) => {
      this.#stopped.push(reject);
    });
  }

  #stop(): void {
    const reason = new Suspended();
    this.#suspended = reason;
    this.onSuspended?.(reason);
    for (const reject of this.#stopped) reject(reason);
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
