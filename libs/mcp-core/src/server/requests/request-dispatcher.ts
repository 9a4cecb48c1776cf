import type { Codec } from '../../era/codec.ts';
import { codecOf } from '../../era/codecs.ts';
import type { ModernRoute } from '../../era/route-request.ts';
import type {
  JsonObject,
  JsonRpcErrorObject,
  JsonRpcNotification,
  JsonRpcRequest,
} from '../../jsonrpc/messages.ts';
import { customHandlerOf } from '../../era/specified-methods.ts';
import { isJsonObject } from '../../jsonrpc/envelope.ts';
import type { ResultOrError } from '../../jsonrpc/responses.ts';
import { ErrorCode, ProtocolError, shorten } from '../../protocol/errors.ts';
import type { Implementation } from '../../protocol/implementation.ts';
import { kindOf } from '../../protocol/result-problem.ts';
import {
  type OpenedSession,
  respondToInitialize,
  type SessionHost,
} from '../connection/initialize.ts';
import type { NotificationSink } from '../connection/notification-queue.ts';
import type { LegacySession } from '../connection/legacy-session.ts';
import type { NotificationHandler } from '../extensions/custom-methods.ts';
import type { ServerMiddlewareRunner } from '../extensions/middleware.ts';
import { withElicitationIds } from '../input/elicitation.ts';
import { MultiRoundTrip } from '../input/multi-round-trip.ts';
import { NO_REPLAY } from '../input/replay.ts';
import type { RequestStates } from '../input/request-state.ts';
import type { TaskAdmission, TaskStarter } from '../tasks/task-handle.ts';
import { isDestructive, type RegisteredTool } from '../tools/tool-table.ts';
import { ActiveRequest, type IncomingRequest } from './active-request.ts';
import type { EraPort } from './era-port.ts';
import type { ConnectionScope, Method } from './method.ts';
import { ModernPort } from './modern-port.ts';

export interface RequestDispatcherContext {
  readonly info: Implementation;
  readonly methods: ReadonlyMap<string, Method>;
  /** Methods that no revision of the specification has. */
  readonly customMethods: ReadonlyMap<string, Method>;
  readonly notificationHandlers: ReadonlyMap<string, NotificationHandler>;
  /** Absent without middleware. */
  readonly middleware: ServerMiddlewareRunner | undefined;
  readonly findTool: (name: string) => RegisteredTool | undefined;
  readonly states: RequestStates;
  readonly tasks: TaskStarter | undefined;
  readonly progressIntervalMs: number;
  readonly onError: (error: unknown) => void;
}

export interface ModernDispatch {
  readonly route: ModernRoute;
  readonly sink: NotificationSink;
  readonly scope: ConnectionScope;
}

export interface LegacyDispatch {
  readonly codec: Codec;
  readonly scope: ConnectionScope;
  /** The session, or a promise of it, which never rejects, while it is not ready for the request. */
  readonly port: EraPort | Promise<EraPort>;
}

export interface InitializeDispatch {
  readonly opened: OpenedSession;
  readonly host: SessionHost;
  readonly port: EraPort;
}

/** Dispatches requests of either era to their methods, synchronously if the method is. Never throws or rejects. */
export class RequestDispatcher {
  readonly #context: RequestDispatcherContext;

  constructor(context: RequestDispatcherContext) {
    this.#context = context;
  }

  modern(
    incoming: IncomingRequest,
    { route, sink, scope }: ModernDispatch,
  ): ResultOrError | Promise<ResultOrError> {
    const codec = codecOf(route.version);
    const { request, auth } = incoming;
    try {
      const method = this.#find(request.method, codec);
      const replay = MultiRoundTrip.serves(request.method)
        ? MultiRoundTrip.open(request, {
            states: this.#context.states,
            codec,
            principal: auth?.principal,
            isSingleUse: this.#isDestructive(request.params),
          })
        : NO_REPLAY;
      if (incoming.isCancelled) incoming.signal.throwIfAborted();
      const port = new ModernPort(route, request, { sink, replay });
      return this.#respond(incoming, port, { method, scope });
    } catch (error) {
      return this.#refused(error, incoming, codec);
    }
  }

  legacy(
    incoming: IncomingRequest,
    { codec, scope, port }: LegacyDispatch,
  ): ResultOrError | Promise<ResultOrError> {
    try {
      const method = this.#find(incoming.request.method, codec);
      return port instanceof Promise
        ? port.then((opened) => this.#legacyOn(incoming, opened, { method, scope }))
        : this.#legacyOn(incoming, port, { method, scope });
    } catch (error) {
      return this.#refused(error, incoming, codec);
    }
  }

  #legacyOn(
    incoming: IncomingRequest,
    port: EraPort,
    target: Target,
  ): ResultOrError | Promise<ResultOrError> {
    try {
      if (incoming.isCancelled) incoming.signal.throwIfAborted();
      return this.#respond(incoming, port, target);
    } catch (error) {
      return this.#refused(error, incoming, port.codec);
    }
  }

  /** Passes a custom notification to its handler, and reports the failure of the handler. */
  notified({ method, params = {} }: JsonRpcNotification, session?: LegacySession): void {
    const handler = customHandlerOf(this.#context.notificationHandlers, method);
    if (handler !== undefined) void this.#notify(() => handler(params, session, method));
  }

  get hasMiddleware(): boolean {
    return this.#context.middleware !== undefined;
  }

  /** Runs the middleware around `initialize`, which opens no session when it fails. */
  async initialize(
    incoming: IncomingRequest,
    { opened, host, port }: InitializeDispatch,
  ): Promise<OpenedSession | { readonly error: JsonRpcErrorObject }> {
    const { middleware, progressIntervalMs } = this.#context;
    if (middleware === undefined) return opened;
    let { initialize, result } = opened;
    const request = new ActiveRequest(incoming, port, { progressIntervalMs, tool: undefined });
    try {
      const response = await middleware.run(request, (params) => {
        if (params !== request.params) {
          const message = { ...incoming.request, params };
          const changed = respondToInitialize({ request: message, auth: incoming.auth }, host);
          if ('error' in changed)
            throw new ProtocolError(changed.error.code, changed.error.message);
          ({ initialize, result } = changed);
        }
        return result;
      });
      return { initialize, result: response };
    } catch (error) {
      const protocolError = this.#toProtocolError(error, request.isAbandoned);
      return { error: this.#encodeError(protocolError, port.codec) };
    } finally {
      request.finish();
    }
  }

  /** Never rejects. */
  async #notify(handler: () => unknown): Promise<void> {
    try {
      await handler();
    } catch (error) {
      this.#context.onError(error);
    }
  }

  #find(name: string, codec: Codec): Method {
    const { methods, customMethods } = this.#context;
    const method = codec.clientRequests.has(name) ? methods.get(name) : customMethods.get(name);
    if (method !== undefined) return method;
    const notFound = (): never => {
      throw new ProtocolError(ErrorCode.methodNotFound, `Method not found: ${shorten(name)}`);
    };
    // A middleware may serve it.
    return this.hasMiddleware ? notFound : notFound();
  }

  #respond(
    incoming: IncomingRequest,
    port: EraPort,
    target: Target,
  ): ResultOrError | Promise<ResultOrError> {
    const { tasks, progressIntervalMs } = this.#context;
    const tool = this.#calledTool(incoming.request);
    const admission = this.#admit(tool, port, incoming.request);
    if (tasks === undefined || admission === undefined || admission.kind === 'never')
      return this.#complete(
        new ActiveRequest(incoming, port, { progressIntervalMs, tool }),
        target,
      );
    return new Promise((resolve) => {
      const request = new ActiveRequest(incoming, port, {
        progressIntervalMs,
        tool,
        task: {
          starter: tasks,
          requested: admission.kind === 'now' ? admission.options : undefined,
          onCreated: (task) => resolve(this.#encodeTask(request, task)),
        },
      });
      // After the task was announced this response is ignored: the task has the outcome.
      void Promise.resolve(this.#complete(request, target)).then(resolve);
    });
  }

  #admit(
    tool: RegisteredTool | undefined,
    port: EraPort,
    { params }: JsonRpcRequest,
  ): TaskAdmission | undefined {
    return tool && this.#context.tasks?.admit(port, params ?? {}, tool.task);
  }

  /** Responds synchronously when the method returns no promise, needs no input and becomes no task. */
  #complete(
    request: ActiveRequest,
    { method, scope }: Target,
  ): ResultOrError | Promise<ResultOrError> {
    const { middleware } = this.#context;
    try {
      const outcome =
        middleware === undefined
          ? method(request, scope)
          : middleware.call(request, { method, scope });
      if (
        outcome instanceof Promise ||
        request.port.replay.isSuspended ||
        request.requestedTask !== undefined
      )
        return this.#completeLater(request, outcome);
      request.finish();
      return this.#succeeded(request, outcome);
    } catch (error) {
      return this.#completeLater(request, Promise.reject(error));
    }
  }

  /** Responds with the result of the method, or `input_required` when it is suspended, whatever it then returned or threw. */
  async #completeLater(
    request: ActiveRequest,
    outcome: JsonObject | Promise<JsonObject>,
  ): Promise<ResultOrError> {
    const { replay } = request.port;
    try {
      let result: JsonObject | undefined;
      try {
        result = await outcome;
      } catch (error) {
        if (!replay.isSuspended) throw error;
      } finally {
        request.finish();
      }
      if (replay.isSuspended) result = await replay.inputRequired();
      // A result that needed no handler becomes the result of the requested task.
      if (request.requestedTask !== undefined && result?.resultType === undefined)
        await request.startTask(request.requestedTask);
      return this.#succeeded(request, result);
    } catch (error) {
      const protocolError = withElicitationIds(this.#toProtocolError(error, request.isAbandoned));
      request.settleTask({ error: protocolError });
      startElicitations(protocolError, request);
      return { error: this.#encodeError(protocolError, request.port.codec) };
    }
  }

  /** @throws Error when the result is not an object */
  #succeeded(request: ActiveRequest, result: JsonObject | undefined): ResultOrError {
    if (!isJsonObject(result))
      throw new Error(
        `The handler of ${request.request.method} returned ${kindOf(result)} and not an object`,
      );
    request.settleTask({ result });
    return { result: this.#encode(request, result) };
  }

  #refused(error: unknown, { isCancelled }: IncomingRequest, codec: Codec): ResultOrError {
    return { error: this.#encodeError(this.#toProtocolError(error, isCancelled), codec) };
  }

  /** Encodes an error, and reports a code that is replaced because the specification reserves it. */
  #encodeError(error: ProtocolError, codec: Codec): JsonRpcErrorObject {
    const encoded = codec.encodeError(error);
    if (encoded.code === ErrorCode.internalError && error.code !== encoded.code)
      this.#context.onError(
        new Error(
          `The error code ${error.code} was sent as ${encoded.code}: MCP ${codec.version} reserves it. Use a code outside of -32768 to -32000`,
          { cause: error },
        ),
      );
    return encoded;
  }

  #encodeTask({ port, request }: ActiveRequest, task: JsonObject): ResultOrError {
    const created = { resultType: 'task', ...task };
    const { info: serverInfo } = this.#context;
    return { result: port.codec.encodeResult(request.method, created, { serverInfo }) };
  }

  #encode({ port, request, tool }: ActiveRequest, result: JsonObject): JsonObject {
    return port.codec.encodeResult(request.method, result, {
      serverInfo: this.#context.info,
      outputSchema: tool?.outputSchema,
    });
  }

  #calledTool({ method, params }: JsonRpcRequest): RegisteredTool | undefined {
    return method === 'tools/call' ? this.#findTool(params) : undefined;
  }

  #findTool(params: JsonObject | undefined): RegisteredTool | undefined {
    return typeof params?.name === 'string' ? this.#context.findTool(params.name) : undefined;
  }

  #isDestructive(params: JsonObject | undefined): boolean {
    if (params?.requestState === undefined && params?.inputResponses === undefined) return false;
    const tool = this.#findTool(params);
    return tool !== undefined && isDestructive(tool);
  }

  /** Returns the error for the client, without details of unexpected errors, which are reported to `onError`. */
  #toProtocolError(error: unknown, isAbandoned: boolean): ProtocolError {
    if (error instanceof ProtocolError) return error;
    if (!isAbandoned) this.#context.onError(error);
    return new ProtocolError(ErrorCode.internalError, 'Internal error', { cause: error });
  }
}

/** Notes the URLs that the error asks the user to visit. @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#url-elicitation-required-error */
function startElicitations({ code, data }: ProtocolError, { port, request }: ActiveRequest): void {
  if (code !== ErrorCode.urlElicitationRequired || !isJsonObject(data)) return;
  if (Array.isArray(data.elicitations)) port.startElicitations?.(data.elicitations, request.id);
}

interface Target {
  readonly method: Method;
  readonly scope: ConnectionScope;
}
