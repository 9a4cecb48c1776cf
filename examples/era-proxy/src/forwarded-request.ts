import { ErrorCode, LocalError, ProtocolError, type JsonObject } from '@signalbox/mcp-core';
import type { RequestOptions } from '@signalbox/mcp-core/client';
import { Suspended, type InteractiveContext } from '@signalbox/mcp-core/server';

/** Asks the client for the input that the server behind the proxy needs. */
export type Ask<T = unknown> = (context: InteractiveContext, key: string) => Promise<T>;

type Send = (options: RequestOptions) => Promise<JsonObject>;

interface Input {
  readonly ask: Ask;
  readonly response: PromiseWithResolvers<unknown>;
}

/** Time for which a client of the modern era may take to send its request again, with the input. */
const ABANDONED_AFTER_MS = 600_000;

/**
 * A request that was sent to the server behind the proxy. It is sent once, also when the client of
 * the modern era sends its request again in each round of input.
 */
export class ForwardedRequest {
  /** The `_meta` of the request; its identity leads from an input request back to this request. */
  readonly meta: JsonObject;
  readonly #cancel = new AbortController();
  readonly #inputs: PromiseWithResolvers<Input>[] = [];
  readonly #result: Promise<JsonObject>;
  readonly #onAbandoned: () => void;
  #received = 0;
  #context: InteractiveContext;
  #abandonment: NodeJS.Timeout | undefined;

  /** `onAbandoned` is called when the client does not send its request again. */
  constructor(context: InteractiveContext, send: Send, onAbandoned: () => void) {
    this.#onAbandoned = onAbandoned;
    this.#context = context;
    this.meta = metaOf(context);
    this.#result = send({
      signal: this.#cancel.signal,
      meta: this.meta,
      onProgress: (progress) => void this.#context.progress(progress),
      task: {
        ...(context.client.can('tasks') && { request: {} }),
        onTask: () => void this.#context.startTask(),
      },
    });
    this.#result.catch(() => undefined);
  }

  /** The context of the current round. */
  get context(): InteractiveContext {
    return this.#context;
  }

  /** Requests input from the client, in the current round or the next. */
  ask<T>(ask: Ask<T>): Promise<T> {
    const response = Promise.withResolvers<unknown>();
    this.#inputAt(this.#received).resolve({ ask, response });
    this.#received += 1;
    return response.promise as Promise<T>;
  }

  /** Serves one round. Resolves with the result, or rejects with `Suspended` when another round follows. */
  async serve(context: InteractiveContext): Promise<JsonObject> {
    clearTimeout(this.#abandonment);
    this.#context = context;
    const { signal } = context;
    const onAbort = (): void => {
      if (!(signal.reason instanceof Suspended)) return this.#cancel.abort();
      this.#abandonment = setTimeout(() => {
        this.#cancel.abort();
        this.#onAbandoned();
      }, ABANDONED_AFTER_MS).unref();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    const ended = this.#result.then(() => undefined);
    for (let index = 0; ; index += 1) {
      const input = await Promise.race([this.#inputAt(index).promise, ended]);
      if (input === undefined) return this.#result;
      // A later round repeats the input requests of the rounds before. Their stored responses answer them.
      const response = input.ask(context, `input-${String(index)}`);
      const outcome = await response.catch((error: unknown) => {
        if (error instanceof Suspended) throw error;
        input.response.reject(error);
      });
      input.response.resolve(outcome);
    }
  }

  #inputAt(index: number): PromiseWithResolvers<Input> {
    return (this.#inputs[index] ??= Promise.withResolvers());
  }
}

/** Returns the `_meta` of a request without the members that belong to its connection. */
export function metaOf({ meta }: { readonly meta: JsonObject }): JsonObject {
  return Object.fromEntries(
    Object.entries(meta).filter(
      ([name]) => name !== 'progressToken' && !name.startsWith('io.modelcontextprotocol/'),
    ),
  );
}

/** Throws the error for the client. An error of the proxy's own connection has no code of the protocol, unless its cause has. */
export function throwToClient(error: unknown): never {
  if (!(error instanceof LocalError)) throw error;
  throw error.cause instanceof ProtocolError
    ? error.cause
    : new ProtocolError(ErrorCode.internalError, error.message, { cause: error });
}
