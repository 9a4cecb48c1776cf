import type { Codec, InputMethod, InputTypes } from '../../era/codec.ts';
import { mcpNameOf } from '../../http/headers/mcp-name.ts';
import { metaOf } from '../../era/meta-keys.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { ErrorCode, ProtocolError, shorten } from '../../protocol/errors.ts';
import type { ClientOptions } from '../client-options.ts';
import { serveCustomMethod, type ClientMethodDefinition } from '../extensions/custom-methods.ts';
import { aroundIncoming, type ClientMiddleware } from '../extensions/middleware.ts';
import { elicit } from './elicitation.ts';
import type {
  HandlerCapabilities,
  InputContext,
  InputHandlers,
  OriginatingRequest,
} from './input-handlers.ts';
import { listRoots } from './roots.ts';
import { sample } from './sampling.ts';

/** An input request as it was received, in the revision of its connection. */
export interface ReceivedInputRequest {
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly request: OriginatingRequest | undefined;
  readonly key?: string | undefined;
}

/** Returns a request of this client in the form that input handlers receive. */
export function originatingRequest(
  method: string,
  params: JsonObject,
  meta: JsonObject | undefined,
): OriginatingRequest {
  const name = mcpNameOf(method, params);
  return {
    method,
    ...(name === undefined ? {} : { name }),
    ...(meta === undefined ? {} : { meta }),
  };
}

/** Runs the handler of one input request. Rejects with ProtocolError when the input request is refused or malformed, LocalError when the handler's result is invalid. */
export type RunInputHandler = (signal: AbortSignal) => Promise<JsonObject>;

/** Passes the input requests of a server of either era to the host's handlers. */
export class InputRequestHandler {
  readonly #handlers: InputHandlers;
  readonly #capabilities: HandlerCapabilities;
  readonly #methods: ReadonlyMap<string, ClientMethodDefinition>;
  readonly #middleware: readonly ClientMiddleware[] | undefined;

  constructor({
    handlers = {},
    capabilities = {},
    extensions: { methods = {}, middleware } = {},
  }: Pick<ClientOptions, 'handlers' | 'capabilities' | 'extensions'>) {
    this.#handlers = handlers;
    this.#capabilities = capabilities;
    this.#methods = new Map(Object.entries(methods));
    this.#middleware = middleware;
  }

  /** Whether the host can open URLs for the user. */
  get takesUrls(): boolean {
    return this.#handlers.elicit !== undefined && this.#capabilities.elicitationUrl === true;
  }

  /** Returns `undefined` when the host has no handler for the method. */
  find(received: ReceivedInputRequest, codec: Codec): RunInputHandler | undefined {
    const { method, params } = received;
    const { sample: onSample, elicit: onElicit, listRoots: onListRoots } = this.#handlers;
    const run = this.#run(received, codec);
    if (method === 'sampling/createMessage' && onSample !== undefined)
      return run(method, {
        decode: () => codec.decodeInputRequest(method, params),
        handle: (decoded, context) =>
          sample(onSample, { params: decoded, context }, this.#capabilities),
      });
    if (method === 'elicitation/create' && onElicit !== undefined)
      return run(method, {
        decode: () => codec.decodeInputRequest(method, params),
        handle: (decoded, context) =>
          elicit(onElicit, { params: decoded, context }, this.#capabilities),
      });
    if (method === 'roots/list' && onListRoots !== undefined)
      return run(method, {
        decode: () => undefined,
        handle: async (_none, context) => ({ roots: await listRoots(onListRoots, context) }),
      });
    return undefined;
  }

  get hasMiddleware(): boolean {
    return this.#middleware !== undefined && this.#middleware.length > 0;
  }

  /** Whether a method other than an input request has a handler or a middleware. */
  servesCustom(method: string): boolean {
    return this.#methods.has(method) || this.hasMiddleware;
  }

  /** Runs `ping` or a custom method of the host, and the middleware around it. Rejects with ProtocolError -32601 when it has neither a handler nor a result of a middleware. */
  runCustom(
    received: ReceivedInputRequest,
    { codec, signal }: { readonly codec: Codec; readonly signal: AbortSignal },
  ): Promise<JsonObject> {
    const { method, params = {} } = received;
    const definition = this.#methods.get(method);
    const context = contextOf(received, signal);
    return aroundIncoming(
      this.#middleware,
      { method, params, era: codec.era, context },
      (changed) => {
        if (method === 'ping') return {};
        if (definition === undefined)
          throw new ProtocolError(ErrorCode.methodNotFound, `Method not found: ${shorten(method)}`);
        return serveCustomMethod(definition, changed, context);
      },
    );
  }

  /** Returns the function that runs a handler with decoded params and encodes its result. */
  #run(
    received: ReceivedInputRequest,
    codec: Codec,
  ): <M extends InputMethod>(method: M, serving: Serving<M>) => RunInputHandler {
    return (method, { decode, handle }) =>
      async (signal) => {
        const context = contextOf(received, signal);
        const decoded = decode();
        // The types of params are interfaces, which have no index signature.
        const params = (decoded ?? {}) as JsonObject;
        const result = await aroundIncoming(
          this.#middleware,
          { method, params, era: codec.era, context },
          async (changed) =>
            handle(
              decoded === undefined ? decoded : (changed as unknown as typeof decoded),
              context,
            ),
        );
        return codec.encodeInputResponse(method, result as never);
      };
  }
}

interface Serving<M extends InputMethod> {
  readonly decode: () => InputTypes[M]['params'];
  readonly handle: (
    params: InputTypes[M]['params'],
    context: InputContext,
  ) => Promise<InputTypes[M]['result']>;
}

function contextOf(
  { params, request, key }: ReceivedInputRequest,
  signal: AbortSignal,
): InputContext {
  return {
    signal,
    meta: metaOf(params),
    ...(request === undefined ? {} : { request }),
    ...(key === undefined ? {} : { key }),
  };
}
