import type { JsonRpcRequest, RequestId } from './messages.ts';
import type { AuthContext, MessageOrigin } from './transport.ts';

/** A request of the peer until its answer was taken by the transport. Most handlers never look at `signal`, so it is made when one does. */
export class RunningRequest {
  readonly request: JsonRpcRequest;
  readonly auth: AuthContext | undefined;
  /** Our request on whose stream it came. */
  readonly relatedTo: RequestId | undefined;
  #controller: AbortController | undefined;
  #ending: PromiseWithResolvers<void> | undefined;
  #cancellation: { readonly reason: unknown } | undefined;
  #isEnded = false;
  #isAnswered = false;

  constructor(request: JsonRpcRequest, origin: MessageOrigin | undefined) {
    this.request = request;
    this.auth = origin?.auth;
    this.relatedTo = origin?.relatedTo;
  }

  /** Aborts when the request is cancelled or the connection ends. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#cancellation !== undefined) this.#controller.abort(this.#cancellation.reason);
    }
    return this.#controller.signal;
  }

  /** What `signal.aborted` says, without making a signal. */
  get isCancelled(): boolean {
    return this.#cancellation !== undefined;
  }

  /** Whether its reply is known, so that its id is free again. */
  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  /** Resolves when the answer was taken by the transport, or none is needed. */
  get ended(): Promise<void> {
    this.#ending ??= Promise.withResolvers<void>();
    if (this.#isEnded) this.#ending.resolve();
    return this.#ending.promise;
  }

  cancel(reason: unknown): void {
    this.#cancellation ??= { reason };
    this.#controller?.abort(reason);
    this.end();
  }

  answered(): void {
    this.#isAnswered = true;
  }

  end(): void {
    this.#isEnded = true;
    this.#ending?.resolve();
  }
}
