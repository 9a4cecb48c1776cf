import { LlmError } from '../ports/llm-provider.ts';
import type { Clock } from '../ports/clock.ts';
import { seconds } from '../text/error-text.ts';

export interface CallGuardOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Name of the endpoint in messages. */
  readonly label: string;
  /** Maximum milliseconds without a byte while a response is awaited. */
  readonly idleTimeoutMs: number;
  /** Maximum milliseconds of the whole call, including retries. */
  readonly deadlineMs: number;
}

/** Shared by all calls, because each new error collects a stack. */
const OVER = new LlmError('aborted', 'The model call is over.');

/**
 * Watchdog of one model call. Ends it when the caller aborts, when no data arrives for too long,
 * and at the deadline. The signal's reason is the `LlmError` to throw.
 */
export class CallGuard {
  readonly #controller = new AbortController();
  readonly #options: CallGuardOptions;
  readonly #onCallerAbort = (): void =>
    this.abort(
      new LlmError('aborted', `The model call to ${this.#options.label} was cancelled.`, {
        cause: this.#options.signal.reason,
      }),
    );
  readonly #cancelDeadline: () => void;
  #cancelIdle: (() => void) | undefined;
  #rejectWatched: ((error: unknown) => void) | undefined;

  constructor(options: CallGuardOptions) {
    this.#options = options;
    this.#cancelDeadline = options.clock.after(options.deadlineMs, () =>
      this.abort(this.#deadlineError()),
    );
    if (options.signal.aborted) this.#onCallerAbort();
    else options.signal.addEventListener('abort', this.#onCallerAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(error: LlmError): void {
    this.#controller.abort(error);
    this.#rejectWatched?.(error);
  }

  /**
   * Awaits a promise with the idle timer running, until it settles or the signal aborts. One
   * promise at a time.
   */
  async watch<T>(promise: Promise<T>): Promise<T> {
    const { promise: watched, resolve, reject } = Promise.withResolvers<T>();
    this.#rejectWatched = reject;
    promise.then(resolve, reject);
    if (this.signal.aborted) reject(this.signal.reason);
    this.#startIdle();
    try {
      return await watched;
    } finally {
      this.#stopIdle();
      this.#rejectWatched = undefined;
    }
  }

  /** Restarts the idle timer, if it is running. */
  touch(): void {
    if (this.#cancelIdle !== undefined) this.#startIdle();
  }

  /** Releases timers and listeners, and aborts what still runs under the signal. */
  close(): void {
    this.#stopIdle();
    this.#cancelDeadline();
    this.#options.signal.removeEventListener('abort', this.#onCallerAbort);
    this.abort(OVER);
  }

  #startIdle(): void {
    this.#stopIdle();
    this.#cancelIdle = this.#options.clock.after(this.#options.idleTimeoutMs, () =>
      this.abort(this.#idleError()),
    );
  }

  #stopIdle(): void {
    this.#cancelIdle?.();
    this.#cancelIdle = undefined;
  }

  #idleError(): LlmError {
    const { label, idleTimeoutMs } = this.#options;
    return new LlmError(
      'timeout',
      `${label} sent nothing for ${seconds(idleTimeoutMs)}, and the call timed out. Try again; if this repeats, check the server.`,
      { retryable: true },
    );
  }

  #deadlineError(): LlmError {
    const { label, deadlineMs } = this.#options;
    return new LlmError(
      'timeout',
      `The call to ${label} took longer than ${seconds(deadlineMs)} and timed out. Request less in one turn, or try again.`,
      { retryable: true },
    );
  }
}
