import type { JsonObject } from '../jsonrpc/messages.ts';

/**
 * Runs the rest of the chain: the later middleware, then the handler. Resolves with the neutral
 * result. Without an argument the params stay as they are. It may be called again after it has
 * settled, for example to retry.
 */
export type Next = (params?: JsonObject) => Promise<JsonObject>;

/**
 * Runs around a request. Returns the result of `next()`, or another result; an error that it throws
 * fails the request. A result that is not of the shape that the method has fails it too.
 */
export type Middleware<Request> = (
  request: Request,
  next: Next,
) => Promise<JsonObject> | JsonObject;

export interface MiddlewareChain<Request> {
  readonly middleware: readonly Middleware<Request>[];
  /** Returns the request as the middleware with this index sees it. */
  readonly describe: (params: JsonObject, index: number) => Request;
  /** Serves the request after the last middleware. */
  readonly serve: (params: JsonObject) => Promise<JsonObject> | JsonObject;
  /** Converts an error of a middleware to a result, or throws it again. */
  readonly recover?: (error: unknown) => Promise<JsonObject>;
  /** Checks a result that a middleware made. Throws for an unusable result. */
  readonly check: (result: unknown) => void;
}

/** Runs the middleware in order, the first outermost. */
export async function runMiddleware<Request>(
  chain: MiddlewareChain<Request>,
  params: JsonObject,
): Promise<JsonObject> {
  const served = new Set<unknown>();
  const result = await runFrom(0, params, {
    ...chain,
    serve: async (changed) => {
      const made = await chain.serve(changed);
      served.add(made);
      return made;
    },
  });
  if (!served.has(result)) chain.check(result);
  return result;
}

async function runFrom<Request>(
  index: number,
  params: JsonObject,
  chain: MiddlewareChain<Request>,
): Promise<JsonObject> {
  const { middleware, describe, serve, recover } = chain;
  const current = middleware[index];
  if (current === undefined) return serve(params);
  const next: Next = (changed = params) => {
    const rest = runFrom(index + 1, changed, chain);
    // A middleware may do something else before it awaits the result, and its failure must not end the process.
    rest.catch(() => undefined);
    return rest;
  };
  try {
    const result = (await current(describe(params, index), next)) as JsonObject | undefined;
    if (result === undefined)
      throw new Error('A middleware returned nothing: return the result of next() from it');
    return result;
  } catch (error) {
    if (recover === undefined) throw error;
    return recover(error);
  }
}
