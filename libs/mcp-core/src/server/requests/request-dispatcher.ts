import type { Codec } from '../../era/codec.ts';
import type { ModernRoute } from '../../era/route-request.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { ResultOrError } from '../../jsonrpc/responses.ts';
import type { Implementation } from '../../protocol/implementation.ts';
import { ErrorCode, ProtocolError, shorten } from '../../protocol/errors.ts';
import type { EraPort } from './era-port.ts';
import type { TaskStarter } from '../tasks/task-handle.ts';
import type { ConnectionScope, Method } from '../methods.ts';
import { ModernPort } from './modern-port.ts';
import { MultiRoundTrip } from '../input/multi-round-trip.ts';
import type { NotificationSink } from '../connection/notification-queue.ts';
import type { RequestStates } from '../input/request-state.ts';
import { ActiveRequest, type IncomingRequest } from './active-request.ts';
import type { RegisteredTool } from '../tools/tool-table.ts';

export interface RequestDispatcherContext {
  readonly info: Implementation;
  readonly methods: ReadonlyMap<string, Method>;
  readonly findTool: (name: string) => RegisteredTool | undefined;
  readonly states: RequestStates;
  readonly tasks: TaskStarter | undefined;
  readonly progressIntervalMs: number;
  readonly onError: (error: unknown) => void;
}

export interface ModernService {
  readonly route: ModernRoute;
  readonly sink: NotificationSink;
  readonly scope: ConnectionScope;
}

export interface LegacyService {
  readonly codec: Codec;
  readonly scope: ConnectionScope;
  /** Resolves when the session is ready for the request. */
  readonly open: () => Promise<EraPort>;
}

/** Answers requests of either era, whatever connection they came over. Its promises never reject. */
export class RequestDispatcher {
  readonly #context: RequestDispatcherContext;

  constructor(context: RequestDispatcherContext) {
    this.#context = context;
  }

  async modern(
    incoming: IncomingRequest,
    { route, sink, scope }: ModernService,
  ): Promise<ResultOrError> {
    const { codec } = route;
    const { request, auth } = incoming;
    try {
      const method = this.#find(request.method, codec);
      const dialogue = MultiRoundTrip.serves(request.method)
        ? MultiRoundTrip.open(request, {
            states: this.#context.states,
            codec,
            principal: auth?.principal,
            isSingleUse: this.#isDestructive(request.params),
          })
        : undefined;
      if (incoming.isCancelled) incoming.signal.throwIfAborted();
      const port = new ModernPort(route, request, { sink, journal: dialogue?.journal });
      return await this.#answer({
        method,
        served: this.#serve(incoming, port, dialogue),
        scope,
        dialogue,
      });
    } catch (error) {
      return { error: codec.encodeError(this.#toProtocolError(error, incoming.isCancelled)) };
    }
  }

  async legacy(
    incoming: IncomingRequest,
    { codec, scope, open }: LegacyService,
  ): Promise<ResultOrError> {
    try {
      const method = this.#find(incoming.request.method, codec);
      const port = await open();
      if (incoming.isCancelled) incoming.signal.throwIfAborted();
      return await this.#answer({ method, served: this.#serve(incoming, port), scope });
    } catch (error) {
      return { error: codec.encodeError(this.#toProtocolError(error, incoming.isCancelled)) };
    }
  }

  #find(name: string, codec: Codec): Method {
    const method = codec.clientRequests.has(name) ? this.#context.methods.get(name) : undefined;
    if (method === undefined)
      throw new ProtocolError(ErrorCode.methodNotFound, `Method not found: ${shorten(name)}`);
    return method;
  }

  #serve(incoming: IncomingRequest, port: EraPort, dialogue?: MultiRoundTrip): ActiveRequest {
    const { tasks } = this.#context;
    const tool = tasks === undefined ? undefined : this.#calledTool(incoming.request);
    const admission = tool && tasks?.admit(port, incoming.request.params ?? {}, tool.task);
    const options = { progressIntervalMs: this.#context.progressIntervalMs, dialogue };
    if (tasks === undefined || admission === undefined || admission.kind === 'never')
      return new ActiveRequest(incoming, port, options);
    const served = new ActiveRequest(incoming, port, { ...options, tasks });
    if (admission.kind === 'now') served.requestedTask = admission.options;
    return served;
  }

  #answer(service: Service): Promise<ResultOrError> {
    const { served } = service;
    if (!served.canBecomeTask) return this.#complete(service);
    const { port, request } = served;
    return new Promise((resolve) => {
      served.onTaskCreated = (task) => {
        resolve({
          result: port.codec.encodeResult(
            request.method,
            { resultType: 'task', ...task },
            { serverInfo: this.#context.info },
          ),
        });
      };
      // The answer of a handler that became a task is dropped: the task has its outcome.
      void this.#complete(service).then(resolve);
    });
  }

  async #complete(service: Service): Promise<ResultOrError> {
    const { served } = service;
    const { codec } = served.port;
    try {
      const result = await this.#run(service);
      // What was finished before its handler would have become the task.
      if (served.requestedTask !== undefined && result.resultType === undefined)
        await served.startTask(served.requestedTask);
      served.live?.settle({ result });
      const { method } = served.request;
      return {
        result: codec.encodeResult(method, result, {
          serverInfo: this.#context.info,
          outputSchema: served.tool?.outputSchema,
        }),
      };
    } catch (error) {
      const protocolError = this.#toProtocolError(error, served.isAbandoned);
      served.live?.settle({ error: protocolError });
      return { error: codec.encodeError(protocolError) };
    }
  }

  /** A question that was asked decides: whatever the handler then returned or threw, the answer is the question. */
  async #run({ method, served, scope, dialogue }: Service): Promise<JsonObject> {
    try {
      const result = await method(served, scope);
      if (dialogue?.journal.isSuspended !== true) return result;
    } catch (error) {
      if (dialogue?.journal.isSuspended !== true) throw error;
    } finally {
      served.finish();
    }
    await dialogue.journal.settled();
    return dialogue.inputRequired();
  }

  #calledTool({ method, params }: ActiveRequest['request']): RegisteredTool | undefined {
    return method === 'tools/call' ? this.#findTool(params) : undefined;
  }

  #findTool(params: JsonObject | undefined): RegisteredTool | undefined {
    return typeof params?.name === 'string' ? this.#context.findTool(params.name) : undefined;
  }

  #isDestructive(params: JsonObject | undefined): boolean {
    if (params?.requestState === undefined && params?.inputResponses === undefined) return false;
    const annotations = this.#findTool(params)?.annotations;
    return (
      annotations !== undefined &&
      annotations.destructiveHint &&
      !annotations.readOnlyHint &&
      !annotations.idempotentHint
    );
  }

  /** The peer is told no details of what is not meant for it. */
  #toProtocolError(error: unknown, isAbandoned: boolean): ProtocolError {
    if (error instanceof ProtocolError) return error;
    if (!isAbandoned) this.#context.onError(error);
    return new ProtocolError(ErrorCode.internalError, 'Internal error', { cause: error });
  }
}

interface Service {
  readonly method: Method;
  readonly served: ActiveRequest;
  readonly scope: ConnectionScope;
  readonly dialogue?: MultiRoundTrip | undefined;
}
