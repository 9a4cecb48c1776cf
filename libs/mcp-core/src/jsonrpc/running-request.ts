import type { JsonRpcRequest, RequestId } from './messages.ts';
import type { AuthContext, MessageOrigin } from './transport.ts';

/**
 * A request of the peer, from its arrival until the transport has taken its response. Creates its
 * `signal` on first use, because most handlers never read it.
 */
export class RunningRequest {
  readonly request: JsonRpcRequest;
  readonly auth: AuthContext | undefined;
  /** Our request on whose stream it arrived. */
  readonly relatedTo: RequestId | undefined;
  #controller: AbortController | undefined;
  #ending: PromiseWithResolvers<void> | undefined;
  #cancellation: { readonly reason: unknown } | undefined;
  #isEnded = false;
  #hasResponse = false;

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

  /** Whether `signal` is aborted; does not create a signal. */
  get isCancelled(): boolean {
    return this.#cancellation !== undefined;
  }

  /** Whether its response is known, so that its id may be reused. */
  get hasResponse(): boolean {
    return this.#hasResponse;
  }

  /** Resolves when the transport has taken the response, or none is needed. */
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

  responded(): void {
    this.#hasResponse = true;
  }

  end(): void {
    this.#isEnded = true;
    this.#ending?.resolve();
  }
}
