import type { JsonObject } from '../../jsonrpc/messages.ts';
import { unlessAborted } from '../../jsonrpc/bounded-waits.ts';
import { LocalError } from '../../protocol/errors.ts';
import { OpenCount } from '../input/open-count.ts';
import { cancelledByServer } from '../requests/cancellation.ts';

export interface TaskInputHooks {
  /** Runs the handler of an input request. */
  readonly respond: (inputRequest: unknown, signal: AbortSignal) => Promise<JsonObject>;
  readonly send: (inputResponses: JsonObject) => Promise<unknown>;
  /** Called when an input request failed. */
  readonly failed: (error: unknown) => void;
  /** Called when the first input request opens and when the last one closes. */
  readonly openChanged: (areOpen: boolean) => void;
}

/** The state of one input request. `unsent`: the response may not have reached the server. */
type ResponseState =
  | { readonly kind: 'open'; readonly withdrawal: AbortController }
  | { readonly kind: 'sent' }
  | { readonly kind: 'unsent'; readonly response: JsonObject }
  | { readonly kind: 'refused'; readonly error: unknown };

/** Responds to each input request of a task once, however often the server lists it. */
export class TaskInputResponder {
  readonly #hooks: TaskInputHooks;
  readonly #states = new Map<string, ResponseState>();
  readonly #openCount: OpenCount;

  constructor(hooks: TaskInputHooks) {
    this.#hooks = hooks;
    this.#openCount = new OpenCount(hooks.openChanged);
  }

  /** Starts the handlers of new input requests concurrently, and aborts the handlers of requests that are no longer listed. Returns whether any was new. */
  update(inputRequests: JsonObject): boolean {
    for (const [key, state] of this.#states) {
      if (state.kind === 'open' && !Object.hasOwn(inputRequests, key))
        state.withdrawal.abort(cancelledByServer(undefined));
    }
    let isNew = false;
    for (const [key, inputRequest] of Object.entries(inputRequests)) {
      const state = this.#states.get(key);
      if (state === undefined) {
        isNew = true;
        void this.#openCount.during(() => this.#respond(key, inputRequest));
      } else if (state.kind === 'unsent') {
        void this.#send(key, state.response);
      } else if (state.kind === 'refused') {
        this.#hooks.failed(state.error);
      }
    }
    return isNew;
  }

  /** Aborts every running handler. */
  end(reason: unknown): void {
    for (const state of this.#states.values()) {
      if (state.kind === 'open') state.withdrawal.abort(reason);
    }
  }

  /** Never rejects. */
  async #respond(key: string, inputRequest: unknown): Promise<void> {
    const withdrawal = new AbortController();
    this.#states.set(key, { kind: 'open', withdrawal });
    const { signal } = withdrawal;
    try {
      const response = await unlessAborted(this.#hooks.respond(inputRequest, signal), signal);
      if (response === undefined) this.#states.set(key, { kind: 'sent' });
      else await this.#send(key, response);
    } catch (error) {
      if (!signal.aborted) this.#hooks.failed(error);
    }
  }

  /** Never rejects. */
  async #send(key: string, response: JsonObject): Promise<void> {
    this.#states.set(key, { kind: 'sent' });
    try {
      await this.#hooks.send({ [key]: response });
    } catch (error) {
      const isLost =
        error instanceof LocalError &&
        (error.code === 'connection-lost' || error.code === 'request-timeout');
      this.#states.set(key, isLost ? { kind: 'unsent', response } : { kind: 'refused', error });
    }
  }
}
