import type { JsonObject } from '../../jsonrpc/messages.ts';
import { LocalError } from '../../protocol/errors.ts';

export interface TaskInputHooks {
  /** Puts a question to the handlers. */
  readonly ask: (question: unknown, signal: AbortSignal) => Promise<JsonObject>;
  readonly send: (inputResponses: JsonObject) => Promise<unknown>;
  /** A question could not be answered. */
  readonly failed: (error: unknown) => void;
  /** The first question was put, or the last one is answered. */
  readonly openChanged: (areOpen: boolean) => void;
}

/** How far the answer to a question is. `unsent`: it may not have reached the server. */
type AnswerState =
  | { readonly kind: 'asked'; readonly withdrawal: AbortController }
  | { readonly kind: 'sent' }
  | { readonly kind: 'unsent'; readonly response: JsonObject }
  | { readonly kind: 'refused'; readonly error: unknown };

/** Answers each question of a task once, however often it is seen. */
export class TaskInput {
  readonly #hooks: TaskInputHooks;
  readonly #answers = new Map<string, AnswerState>();
  #openCount = 0;

  constructor(hooks: TaskInputHooks) {
    this.#hooks = hooks;
  }

  /** Puts what is new to the handlers, all at the same time, and withdraws what the server no longer asks. True when something was new. */
  update(inputRequests: JsonObject): boolean {
    for (const [key, state] of this.#answers) {
      if (state.kind === 'asked' && !Object.hasOwn(inputRequests, key))
        state.withdrawal.abort(
          new LocalError('request-cancelled', 'The server withdrew its question.'),
        );
    }
    let isNew = false;
    for (const [key, question] of Object.entries(inputRequests)) {
      const state = this.#answers.get(key);
      if (state === undefined) {
        isNew = true;
        void this.#ask(key, question);
      } else if (state.kind === 'unsent') {
        void this.#send(key, state.response);
      } else if (state.kind === 'refused') {
        this.#hooks.failed(state.error);
      }
    }
    return isNew;
  }

  /** Withdraws everything. */
  end(reason: unknown): void {
    for (const state of this.#answers.values()) {
      if (state.kind === 'asked') state.withdrawal.abort(reason);
    }
  }

  async #ask(key: string, question: unknown): Promise<void> {
    const withdrawal = new AbortController();
    this.#answers.set(key, { kind: 'asked', withdrawal });
    this.#count(1);
    const withdrawn = Promise.withResolvers<undefined>();
    withdrawal.signal.addEventListener('abort', () => withdrawn.resolve(undefined), { once: true });
    try {
      const response = await Promise.race([
        this.#hooks.ask(question, withdrawal.signal),
        withdrawn.promise,
      ]);
      if (response === undefined) this.#answers.set(key, { kind: 'sent' });
      else await this.#send(key, response);
    } catch (error) {
      if (!withdrawal.signal.aborted) this.#hooks.failed(error);
    } finally {
      this.#count(-1);
    }
  }

  async #send(key: string, response: JsonObject): Promise<void> {
    this.#answers.set(key, { kind: 'sent' });
    try {
      await this.#hooks.send({ [key]: response });
    } catch (error) {
      const isLost =
        error instanceof LocalError &&
        (error.code === 'connection-lost' || error.code === 'request-timeout');
      this.#answers.set(key, isLost ? { kind: 'unsent', response } : { kind: 'refused', error });
    }
  }

  #count(change: 1 | -1): void {
    const before = this.#openCount;
    this.#openCount += change;
    if (before === 0 || this.#openCount === 0) this.#hooks.openChanged(this.#openCount > 0);
  }
}
