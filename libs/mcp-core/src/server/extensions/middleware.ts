import type { JsonObject } from '../../jsonrpc/messages.ts';
import { ToolError } from '../../protocol/errors.ts';
import { type Middleware, runMiddleware } from '../../protocol/middleware.ts';
import { resultProblem } from '../../protocol/result-problem.ts';
import { neutralPage } from '../lists/published-list.ts';
import type { ActiveRequest } from '../requests/active-request.ts';
import { HandlerContext } from '../requests/handler-context.ts';
import type { ConnectionScope, Method } from '../requests/method.ts';
import type { InteractiveContext } from '../requests/request-context.ts';
import { toolErrorOf } from '../tools/call-tool.ts';
import { isDestructive, type RegisteredTool } from '../tools/tool-table.ts';

/** A request of a client, as server middleware sees it. */
export interface ServerRequest {
  readonly method: string;
  /** The params as sent, with their `_meta`, or as an outer middleware changed them. */
  readonly params: JsonObject;
  /**
   * The context of the handler, except that the keys of its input requests and of `once` are those
   * of this middleware alone. Input requests work in `tools/call`, `prompts/get` and
   * `resources/read`.
   */
  readonly context: InteractiveContext;
}

/**
 * Middleware of a server. It runs around every request, in all eras, also of methods that nobody has
 * defined: `next()` then rejects with `ProtocolError` -32601, and a middleware that returns a result
 * serves the method. Results are neutral: in the shapes of 2026-07-28. A `ToolError` becomes
 * an `isError` result in `tools/call`; any other error fails the request as an error of a
 * handler of a resource does. A result of another shape than that of the method becomes -32603 and
 * is reported to `ServerOptions.onError`.
 */
export type ServerMiddleware = Middleware<ServerRequest>;

export interface MethodCall {
  readonly method: Method;
  readonly scope: ConnectionScope;
}

/** Runs the middleware of a server around its methods. */
export class ServerMiddlewareRunner {
  readonly #middleware: readonly ServerMiddleware[];
  readonly #findTool: (name: string) => RegisteredTool | undefined;
  readonly #onError: (error: unknown) => void;

  constructor(
    middleware: readonly ServerMiddleware[],
    {
      findTool,
      onError,
    }: {
      readonly findTool: (name: string) => RegisteredTool | undefined;
      readonly onError: (error: unknown) => void;
    },
  ) {
    this.#middleware = middleware;
    this.#findTool = findTool;
    this.#onError = onError;
  }

  /** Runs a method. An unchanged list keeps its stored text. */
  async call(request: ActiveRequest, { method, scope }: MethodCall): Promise<JsonObject> {
    const { replay } = request.port;
    let encoded: JsonObject | undefined;
    let neutral: JsonObject | undefined;
    const result = await this.run(request, async (params) => {
      if (params !== request.params) {
        const tool = this.#toolOf(request, params);
        request.replaceParams(params, tool);
        if (tool !== undefined && isDestructive(tool) && replay.isPossible)
          replay.requireSingleUse();
      }
      const served = await resultOrSuspension(() => method(request, scope), request);
      if (replay.isSuspended) return replay.inputRequired();
      neutral = neutralPage(served);
      if (neutral === undefined) return served;
      encoded = served;
      return neutral;
    });
    return result === neutral && encoded !== undefined ? encoded : result;
  }

  /** Runs the middleware around anything that produces a result. */
  run(
    request: ActiveRequest,
    serve: (params: JsonObject) => Promise<JsonObject> | JsonObject,
  ): Promise<JsonObject> {
    const contexts: HandlerContext[] = [];
    const { method } = request.request;
    return runMiddleware<ServerRequest>(
      {
        middleware: this.#middleware,
        describe: (params, index) => ({
          method,
          params,
          context: (contexts[index] ??= new HandlerContext(request, `middleware-${index}:`)),
        }),
        serve,
        check: (result) => {
          // The dispatcher sends input_required in place of the result.
          const problem = request.port.replay.isSuspended
            ? undefined
            : resultProblem(method, result);
          if (problem !== undefined)
            throw new Error(
              `The result of ${method} that a middleware returned is unusable: ${problem}`,
            );
        },
        ...(method === 'tools/call'
          ? { recover: (error: unknown) => this.#recover(error, request) }
          : {}),
      },
      request.params,
    );
  }

  #toolOf(
    { request: { method } }: ActiveRequest,
    { name }: JsonObject,
  ): RegisteredTool | undefined {
    return method === 'tools/call' && typeof name === 'string' ? this.#findTool(name) : undefined;
  }

  async #recover(error: unknown, { tool, port }: ActiveRequest): Promise<JsonObject> {
    if (!(error instanceof ToolError) || port.replay.isSuspended) throw error;
    return { ...(await toolErrorOf(error, { tool, onError: this.#onError })) };
  }
}

/** Returns an empty result for a method that was suspended and failed for that reason. */
async function resultOrSuspension(
  run: () => Promise<JsonObject> | JsonObject,
  { port }: ActiveRequest,
): Promise<JsonObject> {
  try {
    return await run();
  } catch (error) {
    if (port.replay.isSuspended) return {};
    throw error;
  }
}
