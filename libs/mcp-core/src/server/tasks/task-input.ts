import type { InputMethod, InputTypes } from '../../era/codec.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { KeyedInputRequest } from '../requests/era-port.ts';

/** Carries questions to a client that waits for the end of the task. */
export interface TaskInputSender {
  /** Aborts when the client no longer waits; a question under way then goes to the next courier. */
  readonly signal: AbortSignal;
  ask<M extends InputMethod>(question: KeyedInputRequest<M>): Promise<InputTypes[M]['result']>;
}

/** Reads the answer to a question; `undefined` when it does not fit and must be asked again. */
export type InputResponseReader = <M extends InputMethod>(
  question: KeyedInputRequest<M>,
) => InputTypes[M]['result'] | undefined;

interface OpenQuestion {
  readonly question: KeyedInputRequest<InputMethod>;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (reason: unknown) => void;
  isUnderWay: boolean;
}

interface AskedQuestion {
  readonly question: KeyedInputRequest<InputMethod>;
  readonly answer: Promise<unknown>;
}

/** What a running task has asked. A question that is open has a key on the wire which the task never uses for another one. */
export class TaskInputRequests {
  readonly #onChanged: () => void;
  readonly #asked = new Map<string, AskedQuestion>();
  readonly #open = new Map<string, OpenQuestion>();
  readonly #usedKeys = new Set<string>();
  readonly #couriers = new Set<TaskInputSender>();

  /** `onChanged` is called after a question was opened or closed. */
  constructor(onChanged: () => void) {
    this.#onChanged = onChanged;
  }

  /** The open questions by their keys on the wire, in the neutral model; `undefined` when there is none. */
  get open(): JsonObject | undefined {
    if (this.#open.size === 0) return undefined;
    return Object.fromEntries(
      [...this.#open].map(
        ([
          key,
          {
            question: { method, params },
          },
        ]) => [key, params === undefined ? { method } : { method, params }],
      ),
    );
  }

  /** The same question under the same key again has the same answer. @throws Error when the key names another question. */
  ask<M extends InputMethod>(question: KeyedInputRequest<M>): Promise<InputTypes[M]['result']> {
    const known = this.#asked.get(question.key);
    if (known === undefined) return this.#ask(question);
    const { isDeepStrictEqual } = process.getBuiltinModule('node:util');
    if (
      known.question.method !== question.method ||
      !isDeepStrictEqual(known.question.params, question.params)
    ) {
      return Promise.reject(
        new Error(`Two different questions have the key ${JSON.stringify(question.key)}`),
      );
    }
    // The question is the same, so its answer is of the same type.
    return known.answer as Promise<InputTypes[M]['result']>;
  }

  /** Answers what is open under these keys; other keys are ignored. What does not fit is asked again under a new key. */
  answer(keys: readonly string[], read: (key: string) => InputResponseReader): void {
    const answered = keys.flatMap((key) => {
      const open = this.#open.get(key);
      return open === undefined ? [] : [{ key, open, answer: read(key)(open.question) }];
    });
    if (answered.length === 0) return;
    for (const { key, open, answer } of answered) {
      this.#open.delete(key);
      if (answer === undefined) this.#publish(open);
      else open.resolve(answer);
    }
    this.#onChanged();
  }

  /** Sends what is open, and what will be, over the courier as long as it lives. */
  deliver(courier: TaskInputSender): void {
    if (courier.signal.aborted) return;
    this.#couriers.add(courier);
    courier.signal.addEventListener('abort', () => this.#couriers.delete(courier), { once: true });
    for (const [key, open] of this.#open) void this.#send(key, open);
  }

  #ask<M extends InputMethod>(question: KeyedInputRequest<M>): Promise<InputTypes[M]['result']> {
    const { signal, key } = question;
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const open: OpenQuestion = { question, resolve, reject, isUnderWay: false };
    const withdraw = (): void => {
      this.#asked.delete(key);
      reject(signal.reason);
      if (this.#close(open)) this.#onChanged();
    };
    const isOver = (): void => signal.removeEventListener('abort', withdraw);
    signal.addEventListener('abort', withdraw, { once: true });
    // A handler that does not wait for its question is told by the signal.
    promise.then(isOver, isOver);
    this.#asked.set(key, { question, answer: promise });
    const wireKey = this.#publish(open);
    this.#onChanged();
    void this.#send(wireKey, open);
    // Only `answer` and a courier resolve it, both with an answer to this method.
    return promise as Promise<InputTypes[M]['result']>;
  }

  #publish(open: OpenQuestion): string {
    const key = this.#freshKey(open.question.key);
    this.#usedKeys.add(key);
    this.#open.set(key, open);
    return key;
  }

  #freshKey(key: string): string {
    let fresh = key;
    for (let attempt = 2; this.#usedKeys.has(fresh); attempt += 1)
      fresh = `${key}#${String(attempt)}`;
    return fresh;
  }

  #close(open: OpenQuestion): boolean {
    const entry = [...this.#open].find(([, other]) => other === open);
    return entry !== undefined && this.#open.delete(entry[0]);
  }

  async #send(key: string, open: OpenQuestion): Promise<void> {
    const [courier] = this.#couriers;
    if (courier === undefined || open.isUnderWay || this.#open.get(key) !== open) return;
    open.isUnderWay = true;
    const settle = await courier.ask(open.question).then(
      (answer) => () => open.resolve(answer),
      (error: unknown) => (courier.signal.aborted ? undefined : () => open.reject(error)),
    );
    open.isUnderWay = false;
    if (settle === undefined) {
      void this.#send(key, open);
    } else if (this.#close(open)) {
      settle();
      this.#onChanged();
    }
  }
}
