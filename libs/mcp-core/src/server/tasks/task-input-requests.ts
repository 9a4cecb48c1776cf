import type { InputMethod, InputTypes } from '../../era/codec.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { KeyedInputRequest } from '../input/input-requests.ts';

/** Sends input requests to a client that waits for the result of the task. */
export interface TaskInputSender {
  /** Aborts when the client no longer waits; an input request without a response then goes to the next sender. */
  readonly signal: AbortSignal;
  ask<M extends InputMethod>(inputRequest: KeyedInputRequest<M>): Promise<InputTypes[M]['result']>;
}

/** Reads the response to an input request. Returns `undefined` when it does not fit. */
export type ReadTaskInput = <M extends InputMethod>(
  inputRequest: KeyedInputRequest<M>,
) => InputTypes[M]['result'] | undefined;

interface OpenRequest {
  readonly inputRequest: KeyedInputRequest<InputMethod>;
  readonly resolve: (response: unknown) => void;
  readonly reject: (reason: unknown) => void;
  isSending: boolean;
}

interface KnownRequest {
  readonly inputRequest: KeyedInputRequest<InputMethod>;
  readonly response: Promise<unknown>;
}

/** The input requests of a running task. Each open input request has a wire key that the task uses only once. */
export class TaskInputRequests {
  readonly #onChanged: () => void;
  readonly #known = new Map<string, KnownRequest>();
  /** The open input requests by wire key. */
  readonly #open = new Map<string, OpenRequest>();
  readonly #usedKeys = new Set<string>();
  readonly #senders = new Set<TaskInputSender>();

  /** `onChanged` is called after an input request was opened or closed. */
  constructor(onChanged: () => void) {
    this.#onChanged = onChanged;
  }

  /** The open input requests by wire key, in the neutral model; `undefined` when there are none. */
  get open(): JsonObject | undefined {
    if (this.#open.size === 0) return undefined;
    return Object.fromEntries(
      [...this.#open].map(([key, { inputRequest }]) => {
        const { method, params } = inputRequest;
        return [key, params === undefined ? { method } : { method, params }];
      }),
    );
  }

  /** Opens an input request, or returns the response of an equal one with the same key. @throws Error when the key belongs to another input request */
  ask<M extends InputMethod>(inputRequest: KeyedInputRequest<M>): Promise<InputTypes[M]['result']> {
    const { key, method, params } = inputRequest;
    const known = this.#known.get(key);
    if (known === undefined) return this.#openRequest(inputRequest);
    const { isDeepStrictEqual } = process.getBuiltinModule('node:util');
    if (
      known.inputRequest.method !== method ||
      !isDeepStrictEqual(known.inputRequest.params, params)
    ) {
      return Promise.reject(
        new Error(`Two different input requests have the key ${JSON.stringify(key)}`),
      );
    }
    // The method is the same, so the response has the same type.
    return known.response as Promise<InputTypes[M]['result']>;
  }

  /** Accepts responses by wire key; ignores unknown keys. An input request whose response does not fit is opened again under a new key. */
  respond(keys: readonly string[], read: (key: string) => ReadTaskInput): void {
    const received = keys.flatMap((key) => {
      const open = this.#open.get(key);
      return open === undefined ? [] : [{ key, open, response: read(key)(open.inputRequest) }];
    });
    if (received.length === 0) return;
    for (const { key, open, response } of received) {
      this.#open.delete(key);
      if (response === undefined) this.#publish(open);
      else open.resolve(response);
    }
    this.#onChanged();
  }

  /** Sends the open and future input requests with this sender until its signal aborts. */
  sendWith(sender: TaskInputSender): void {
    if (sender.signal.aborted) return;
    this.#senders.add(sender);
    sender.signal.addEventListener('abort', () => this.#senders.delete(sender), { once: true });
    for (const [key, open] of this.#open) void this.#send(key, open);
  }

  #openRequest<M extends InputMethod>(
    inputRequest: KeyedInputRequest<M>,
  ): Promise<InputTypes[M]['result']> {
    const { signal, key } = inputRequest;
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const open: OpenRequest = { inputRequest, resolve, reject, isSending: false };
    const withdraw = (): void => {
      this.#known.delete(key);
      reject(signal.reason);
      if (this.#close(open)) this.#onChanged();
    };
    const stopListening = (): void => signal.removeEventListener('abort', withdraw);
    signal.addEventListener('abort', withdraw, { once: true });
    // Also handles the rejection when the handler does not await the response.
    promise.then(stopListening, stopListening);
    this.#known.set(key, { inputRequest, response: promise });
    const wireKey = this.#publish(open);
    this.#onChanged();
    void this.#send(wireKey, open);
    // Only `respond` and a sender resolve it, both with a response to this method.
    return promise as Promise<InputTypes[M]['result']>;
  }

  #publish(open: OpenRequest): string {
    const key = this.#freshKey(open.inputRequest.key);
    this.#usedKeys.add(key);
    this.#open.set(key, open);
    return key;
  }

  #freshKey(key: string): string {
    let fresh = key;
    for (let attempt = 2; this.#usedKeys.has(fresh); attempt += 1) fresh = `${key}#${attempt}`;
    return fresh;
  }

  #close(open: OpenRequest): boolean {
    const entry = [...this.#open].find(([, other]) => other === open);
    return entry !== undefined && this.#open.delete(entry[0]);
  }

  async #send(key: string, open: OpenRequest): Promise<void> {
    const [sender] = this.#senders;
    if (sender === undefined || open.isSending || this.#open.get(key) !== open) return;
    open.isSending = true;
    const settle = await sender.ask(open.inputRequest).then(
      (response) => () => open.resolve(response),
      (error: unknown) => (sender.signal.aborted ? undefined : () => open.reject(error)),
    );
    open.isSending = false;
    if (settle === undefined) {
      void this.#send(key, open);
    } else if (this.#close(open)) {
      settle();
      this.#onChanged();
    }
  }
}
