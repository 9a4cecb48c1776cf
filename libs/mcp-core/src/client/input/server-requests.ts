import type { Codec } from '../../era/codec.ts';
import { knownInputRequest } from '../../era/known-members.ts';
import { isSpecifiedRequest } from '../../era/specified-methods.ts';
import { MetaKey, metaOf } from '../../era/meta-keys.ts';
import type { JsonObject, JsonRpcRequest } from '../../jsonrpc/messages.ts';
import type { ResultOrError } from '../../jsonrpc/responses.ts';
import { unlessAborted } from '../../jsonrpc/bounded-waits.ts';
import { ErrorCode, ProtocolError } from '../../protocol/errors.ts';
import type { ClientOptions } from '../client-options.ts';
import type { OriginatingRequest } from './input-handlers.ts';
import {
  InputRequestHandler,
  type ReceivedInputRequest,
  type RunInputHandler,
} from './input-request-handler.ts';
import { OpenCount } from './open-count.ts';

export interface ServerRequestScope {
  readonly signal: AbortSignal;
  /** The request of this client that needs the input, where it is known. */
  readonly request: OriginatingRequest | undefined;
}

/** Responds to the requests of a legacy server with the input handlers, concurrently, and counts the open requests. */
export class ServerRequests {
  readonly #handler: InputRequestHandler;
  readonly #openCount: OpenCount;

  /** `onOpenChanged` is called when the first request opens and when the last one ends. */
  constructor(options: ClientOptions, onOpenChanged: (areOpen: boolean) => void) {
    this.#handler = new InputRequestHandler(options);
    this.#openCount = new OpenCount(onOpenChanged);
  }

  /** Returns the part of a request to keep while its handler runs: without params that no handler reads. */
  kept(request: JsonRpcRequest): JsonRpcRequest {
    const { jsonrpc, id, method, params } = request;
    if (params === undefined) return { jsonrpc, id, method };
    const isWhole = !isSpecifiedRequest(method) && this.#handler.servesCustom(method);
    return { jsonrpc, id, method, params: isWhole ? params : knownInputRequest(method, params) };
  }

  /**
   * Returns the response to a request of the given revision, or `undefined` when `signal` aborts first because the server withdrew the request. A
   * handler's ProtocolError becomes the error response; any other failure rejects.
   */
  async respond(
    { method, params }: JsonRpcRequest,
    codec: Codec,
    { signal, request }: ServerRequestScope,
  ): Promise<ResultOrError | undefined> {
    if (method === 'ping' && !this.#handler.hasMiddleware) return { result: {} };
    const run = this.#find({ method, params, request }, codec);
    if (run === undefined)
      return { error: { code: ErrorCode.methodNotFound, message: `Method not found: ${method}` } };
    return this.#openCount.during(() =>
      unlessAborted(respondWith(run(signal), relatedTaskOf(params)), signal),
    );
  }

  /** Returns `undefined` for a method without a handler or a middleware. */
  #find(received: ReceivedInputRequest, codec: Codec): RunInputHandler | undefined {
    const { method } = received;
    if (method === 'ping' || (!isSpecifiedRequest(method) && this.#handler.servesCustom(method)))
      return (signal) => this.#handler.runCustom(received, { codec, signal });
    return codec.serverRequests.has(method) ? this.#handler.find(received, codec) : undefined;
  }
}

async function respondWith(
  work: Promise<JsonObject>,
  related: JsonObject | undefined,
): Promise<ResultOrError> {
  try {
    const result = await work;
    return {
      result:
        related === undefined ? result : { ...result, _meta: { ...metaOf(result), ...related } },
    };
  } catch (error) {
    if (error instanceof ProtocolError) return { error: error.toJSON() };
    throw error;
  }
}

/** Returns the `_meta` that repeats the task of the request. @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#associating-task-related-messages */
function relatedTaskOf(params: JsonObject | undefined): JsonObject | undefined {
  const related = metaOf(params)[MetaKey.relatedTask];
  return related === undefined ? undefined : { [MetaKey.relatedTask]: related };
}
