import type { JsonObject } from '../jsonrpc/messages.ts';

/**
 * Runs the rest of the chain: the later middleware, then the handler. Resolves with the neutral
 * result. Without an argument the params stay as they are. It may be called again after it has
 * settled, for example to retry.
 */
export type Next = (params?: JsonObject) => Promise<JsonObject>;

/**
 * Runs around a request. Returns the result of `next()`, or another result; an error that it throws
 * fails the request.
 */
export type Middleware<Request> = (
  request: Request,
  next: Next,
) => Promise<JsonObject> | JsonObject;

export interface MiddlewareChain<Request> {
  readonly middleware: readonly Middleware<Request>[];
  /** Returns the request as middleware sees it. */
  readonly describe: (params: JsonObject) => Request;
  /** Serves the request after the last middleware. */
  readonly serve: (params: JsonObject) => Promise<JsonObject> | JsonObject;
  /** Converts an error of a middleware to a result, or throws it again. */
  readonly recover?: (error: unknown) => Promise<JsonObject>;
}

/** Runs the middleware in order, the first outermost. */
export async function runMiddleware<Request>(
  chain: MiddlewareChain<Request>,
  params: JsonObject,
  index = 0,
): Promise<JsonObject> {
  const { middleware, describe, serve, recover } = chain;
  const current = middleware[index];
  if (current === undefined) return serve(params);
  const next: Next = (changed = params) => {
    const rest = runMiddleware(chain, changed, index + 1);
    // A middleware may do something else before it awaits the result, and its failure must not end the process.
    rest.catch(() => undefined);
    return rest;
  };
  try {
    const result = (await current(describe(params), next)) as JsonObject | undefined;
    if (result === undefined)
      throw new Error('A middleware returned nothing: return the result of next() from it');
    return result;
  } catch (error) {
    if (recover === undefined) throw error;
    return recover(error);
  }
}
