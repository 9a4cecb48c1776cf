import { assertCustomMethod, assertCustomNotification } from '../../era/specified-methods.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { AuthContext } from '../../jsonrpc/transport.ts';
import type {
  CreateMessageParams,
  CreateMessageResult,
  Root,
} from '../../protocol/client-features.ts';
import { prepareSampling } from '../input/sampling.ts';
import type { ActiveRequest } from './active-request.ts';
import type { InputRequest, InteractiveContext, RequestClient } from './request-context.ts';

/**
 * The context of a handler. Each function is created when it is read and is bound to the request, so that a handler may destructure the context and a
 * request pays only for the functions that its handler uses.
 */
export class HandlerContext implements InteractiveContext {
  readonly #request: ActiveRequest;
  readonly #keyPrefix: string;

  /** `keyPrefix` separates the keys of a middleware from those of the handler. */
  constructor(request: ActiveRequest, keyPrefix = '') {
    this.#request = request;
    this.#keyPrefix = keyPrefix;
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }

  get client(): RequestClient {
    return this.#request.port.client;
  }

  get meta(): JsonObject {
    return this.#request.meta;
  }

  get auth(): AuthContext | undefined {
    return this.#request.auth;
  }

  get progress(): InteractiveContext['progress'] {
    return (update) => this.#request.progress(update);
  }

  get log(): InteractiveContext['log'] {
    return (level, data, logger) => this.#request.log(level, data, logger);
  }

  get notify(): InteractiveContext['notify'] {
    return (method, params = {}) => {
      assertCustomNotification(method);
      return this.#request.notify(method, params);
    };
  }

  get request(): InteractiveContext['request'] {
    return (method, params = {}, { signal } = {}) => {
      assertCustomMethod(method);
      return withoutUnhandledRejection(this.#request.sendRequest(method, params, signal));
    };
  }

  get elicit(): InteractiveContext['elicit'] {
    return (key, params, { signal } = {}) =>
      withoutUnhandledRejection(
        this.#request.ask(
          { method: 'elicitation/create', key: this.#keyPrefix + key, params },
          signal,
        ),
      );
  }

  get sample(): InteractiveContext['sample'] {
    return (key, params, { signal } = {}) =>
      withoutUnhandledRejection(this.#sample(this.#keyPrefix + key, params, signal));
  }

  get listRoots(): InteractiveContext['listRoots'] {
    return ({ signal } = {}) =>
      withoutUnhandledRejection(this.#listRoots(`${this.#keyPrefix}roots`, signal));
  }

  get gather(): InteractiveContext['gather'] {
    return (requests, { signal } = {}) => withoutUnhandledRejection(this.#gather(requests, signal));
  }

  get once(): InteractiveContext['once'] {
    return (key, run) => withoutUnhandledRejection(this.#request.once(this.#keyPrefix + key, run));
  }

  get startTask(): InteractiveContext['startTask'] {
    return (options = {}) => this.#request.startTask(options);
  }

  get closeStream(): InteractiveContext['closeStream'] {
    return () => this.#request.port.closeStream(this.#request.request.id);
  }

  async #sample(
    key: string,
    params: CreateMessageParams,
    withdrawal?: AbortSignal,
  ): Promise<CreateMessageResult> {
    return this.#request.ask(
      { method: 'sampling/createMessage', key, params: prepareSampling(params, this.client) },
      withdrawal,
    );
  }

  async #listRoots(key: string, withdrawal?: AbortSignal): Promise<readonly Root[]> {
    const { roots } = await this.#request.ask(
      { method: 'roots/list', key, params: undefined },
      withdrawal,
    );
    return roots;
  }

  async #gather(
    requests: { readonly [key: string]: InputRequest },
    signal: AbortSignal | undefined,
  ): Promise<{ readonly [key: string]: unknown }> {
    const end = new AbortController();
    const withdrawal = signal === undefined ? end.signal : AbortSignal.any([end.signal, signal]);
    const responses = Object.entries(requests).map(
      async ([key, request]) =>
        [key, await this.#ask(this.#keyPrefix + key, request, withdrawal)] as const,
    );
    try {
      return Object.fromEntries(await Promise.all(responses));
    } finally {
      end.abort();
    }
  }

  #ask(key: string, { elicit, sample }: InputRequest, withdrawal: AbortSignal): Promise<unknown> {
    if (elicit !== undefined)
      return this.#request.ask({ method: 'elicitation/create', key, params: elicit }, withdrawal);
    if (sample !== undefined) return this.#sample(key, sample, withdrawal);
    return this.#listRoots(key, withdrawal);
  }
}

/** Returns the promise; when the handler does not await it, its rejection does not end the process. */
function withoutUnhandledRejection<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
