import type { Era } from '../../era/versions.ts';
import { isJsonObject } from '../../jsonrpc/envelope.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { RequestOutcome } from '../../jsonrpc/outgoing-request.ts';
import { LocalError, ProtocolError } from '../../protocol/errors.ts';
import { type Middleware, runMiddleware } from '../../protocol/middleware.ts';
import { resultProblem } from '../../protocol/result-problem.ts';
import { readResponse } from '../requests/read-response.ts';
import type { InputContext } from '../input/input-handlers.ts';

/** A request, as client middleware sees it. */
export interface ClientRequest {
  /** `outgoing`: a request to the server. `incoming`: a request of the server. */
  readonly direction: 'outgoing' | 'incoming';
  readonly method: string;
  /** Neutral params. `_meta` of an outgoing request is `RequestOptions.meta`; middleware may add it. */
  readonly params: JsonObject;
  /** The era of the connection; before it is known, that of the message: `initialize` is legacy, `server/discover` modern. */
  readonly era: Era;
  /** The signal of the caller (`outgoing`), or of the handler (`incoming`). */
  readonly signal: AbortSignal | undefined;
  /** The context of the handler; only of an incoming request. */
  readonly context?: InputContext;
}

/**
 * Middleware of a client. It runs once around a request and its result, whatever happens between them: input rounds, retries,
 * and a task, whose polls (`tasks/get`) are requests of their own. It also runs around `server/discover` and `initialize` of each connection, and around
 * `subscriptions/listen` until the stream ends; an error that it throws there fails the connecting or the watch. Incoming requests without a handler run it:
 * `next()` then rejects with `ProtocolError` -32601, and a middleware that returns a result serves the method. Cached results do not run it. Results are
 * neutral; one of another shape than that of the method fails the request.
 */
export type ClientMiddleware = Middleware<ClientRequest>;

interface OutgoingOptions {
  readonly meta?: JsonObject | undefined;
  readonly signal?: AbortSignal | undefined;
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
      check: (result) => assertUsable(method, result),
    },
    shown,
  );
}

export interface ExchangeCall {
  readonly method: string;
  readonly params: JsonObject;
  readonly era: Era;
}

/**
 * Runs the middleware around a request whose outcome says more than its result. Resolves with the outcome that `send` returned, unless a middleware returned
 * another result or threw a ProtocolError. Rejects with other errors of the middleware. Without middleware it calls `send` immediately.
 */
export async function aroundExchange(
  middleware: readonly ClientMiddleware[] = [],
  { method, params, era }: ExchangeCall,
  send: (params: JsonObject) => Promise<RequestOutcome>,
): Promise<RequestOutcome> {
  if (middleware.length === 0) return send(params);
  const failures = new Map<unknown, RequestOutcome>();
  const call: OutgoingCall<OutgoingOptions> = { method, params, options: {}, era };
  try {
    const result = await aroundOutgoing(middleware, call, async (changed, { meta }) => {
      const outcome = await send(meta === undefined ? changed : { ...changed, _meta: meta });
      try {
        return readResponse(method, outcome);
      } catch (error) {
        failures.set(error, outcome);
        throw error;
      }
    });
    return { kind: 'result', result };
  } catch (error) {
    const outcome = failures.get(error);
    if (outcome !== undefined) return outcome;
    if (error instanceof ProtocolError) return { kind: 'error', error: error.toJSON() };
    throw error;
  }
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
      check: (result) => assertUsable(method, result),
    },
    params,
  );
}

/** @throws LocalError `invalid-response` for an unusable result of a middleware */
function assertUsable(method: string, result: unknown): void {
  const problem = resultProblem(method, result);
  if (problem !== undefined)
    throw new LocalError(
      'invalid-response',
      `The result of ${method} that a middleware returned is unusable: ${problem}`,
      { sent: true },
    );
}
