import type { Era } from '../../era/versions.ts';
import { isJsonObject } from '../../jsonrpc/envelope.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { type Middleware, runMiddleware } from '../../protocol/middleware.ts';
import type { InputContext } from '../input/input-handlers.ts';

/** A request, as client middleware sees it. */
export interface ClientRequest {
  /** `outgoing`: a request to the server. `incoming`: an input request or a custom request of the server. */
  readonly direction: 'outgoing' | 'incoming';
  readonly method: string;
  /** Neutral params. `_meta` of an outgoing request is `RequestOptions.meta`; middleware may add it. */
  readonly params: JsonObject;
  readonly era: Era;
  /** The signal of the caller (`outgoing`), or of the handler (`incoming`). */
  readonly signal: AbortSignal | undefined;
  /** The context of the handler; only of an incoming request. */
  readonly context?: InputContext;
}

/**
 * Middleware of a client. It runs once around a request and its result, whatever happens between them: input rounds, retries,
 * and a task, whose polls (`tasks/get`) are requests of their own. Cached results, the handshake and `subscriptions/listen` do not run it. Results are neutral.
 */
export type ClientMiddleware = Middleware<ClientRequest>;

interface OutgoingOptions {
  readonly meta?: JsonObject;
  readonly signal?: AbortSignal;
}

export interface OutgoingCall<Options extends OutgoingOptions> {
  readonly method: string;
  readonly params: JsonObject;
  readonly options: Options;
  readonly era: Era;
}

/** Runs the middleware around a request to the server. */
export function aroundOutgoing<Options extends OutgoingOptions>(
  middleware: readonly ClientMiddleware[],
  { method, params, options, era }: OutgoingCall<Options>,
  send: (params: JsonObject, options: Options) => Promise<JsonObject>,
): Promise<JsonObject> {
  const { meta, signal } = options;
  const shown = meta === undefined ? params : { ...params, _meta: meta };
  return runMiddleware<ClientRequest>(
    {
      middleware,
      describe: (current) => ({ direction: 'outgoing', method, params: current, era, signal }),
      serve: (changed) => {
        if (changed === shown) return send(params, options);
        const { _meta: changedMeta, ...rest } = changed;
        return send(rest, {
          ...options,
          meta: isJsonObject(changedMeta) ? changedMeta : {},
        });
      },
    },
    shown,
  );
}

export interface IncomingCall {
  readonly method: string;
  readonly params: JsonObject;
  readonly era: Era;
  readonly context: InputContext;
}

/** Runs the middleware around the handler of a request of the server. */
export async function aroundIncoming(
  middleware: readonly ClientMiddleware[] | undefined,
  { method, params, era, context }: IncomingCall,
  handle: (params: JsonObject) => Promise<JsonObject> | JsonObject,
): Promise<JsonObject> {
  if (middleware === undefined || middleware.length === 0) return handle(params);
  const { signal } = context;
  return runMiddleware<ClientRequest>(
    {
      middleware,
      describe: (current) => ({
        direction: 'incoming',
        method,
        params: current,
        era,
        signal,
        context,
      }),
      serve: handle,
    },
    params,
  );
}
