import type { Codec } from '../../era/codec.ts';
import { mcpNameOf } from '../../http/headers/mcp-name.ts';
import { metaOf } from '../../era/meta-keys.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { ClientOptions } from '../client-options.ts';
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

  constructor({
    handlers = {},
    capabilities = {},
  }: Pick<ClientOptions, 'handlers' | 'capabilities'>) {
    this.#handlers = handlers;
    this.#capabilities = capabilities;
  }

  /** Whether the host can open URLs for the user. */
  get takesUrls(): boolean {
    return this.#handlers.elicit !== undefined && this.#capabilities.elicitationUrl === true;
  }

  /** Returns `undefined` when the host has no handler for the method. */
  find(
    { method, params, request, key }: ReceivedInputRequest,
    codec: Codec,
  ): RunInputHandler | undefined {
    const handlers = this.#handlers;
    const context = (signal: AbortSignal): InputContext => ({
      signal,
      meta: metaOf(params),
      ...(request === undefined ? {} : { request }),
      ...(key === undefined ? {} : { key }),
    });
    if (method === 'sampling/createMessage' && handlers.sample !== undefined) {
      const handler = handlers.sample;
      return async (signal) =>
        codec.encodeInputResponse(
          method,
          await sample(
            handler,
            { params: codec.decodeInputRequest(method, params), context: context(signal) },
            this.#capabilities,
          ),
        );
    }
    if (method === 'elicitation/create' && handlers.elicit !== undefined) {
      const handler = handlers.elicit;
      return async (signal) =>
        codec.encodeInputResponse(
          method,
          await elicit(
            handler,
            { params: codec.decodeInputRequest(method, params), context: context(signal) },
            this.#capabilities,
          ),
        );
    }
    if (method === 'roots/list' && handlers.listRoots !== undefined) {
      const handler = handlers.listRoots;
      return async (signal) =>
        codec.encodeInputResponse(method, { roots: await listRoots(handler, context(signal)) });
    }
    return undefined;
  }
}
