import { missingCapabilityError } from '../../era/client-can.ts';
import { isJsonObject } from '../../jsonrpc/envelope.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { ErrorCode, ProtocolError } from '../../protocol/errors.ts';
import type { TaskSupport } from '../../protocol/tasks.ts';
import type { ActiveRequest } from '../requests/active-request.ts';
import type { EraPort } from '../requests/era-port.ts';
import type { Method } from '../requests/method.ts';
import type { TaskAdmission, TaskOptions, TaskRequest, TaskStarter } from './task-handle.ts';
import { TASK_METHODS } from './task-method-names.ts';
import type { ServerTaskOptions } from './task-options.ts';
import type { TaskFeed, TaskRuntime, TaskRuntimeContext } from './task-runtime.ts';

const NEVER: TaskAdmission = { kind: 'never' };
const LATER: TaskAdmission = { kind: 'later' };

/** The tasks of a server. Loads their code for the first request that needs it: most servers never run a task. */
export class ServerTasks implements TaskStarter {
  readonly #options: ServerTaskOptions;
  readonly #context: TaskRuntimeContext;
  #runtime: Promise<TaskRuntime> | undefined;

  constructor(options: ServerTaskOptions, context: TaskRuntimeContext) {
    this.#options = options;
    this.#context = context;
  }

  methods(): [string, Method][] {
    return TASK_METHODS.map((name) => [
      name,
      async (request) => (await this.#load()).serve(name, request),
    ]);
  }

  admit({ codec, client }: EraPort, params: JsonObject, support: TaskSupport): TaskAdmission {
    if (codec.tasks === 'core') return admitCore(params, support);
    if (support === 'never' || codec.tasks === 'none') return NEVER;
    if (client.can('tasks')) return LATER;
    if (support === 'required') throw missingCapabilityError('tasks');
    return NEVER;
  }

  async start(request: TaskRequest, options: TaskOptions): ReturnType<TaskStarter['start']> {
    return (await this.#load()).start(request, options);
  }

  /** Opens a feed of task changes for a listen stream. */
  async openFeed(request: ActiveRequest): Promise<TaskFeed> {
    return (await this.#load()).openFeed(request);
  }

  /** Aborts every handler and ends its task as failed. Resolves when that is stored, or after 500 ms. */
  async stop(): Promise<void> {
    await (await this.#runtime)?.stop();
  }

  #load(): Promise<TaskRuntime> {
    this.#runtime ??= import('./task-runtime.ts').then(
      ({ TaskRuntime: Runtime }) => new Runtime(this.#options, this.#context),
    );
    return this.#runtime;
  }
}

/** @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#tool-level-negotiation */
function admitCore({ task }: JsonObject, support: TaskSupport): TaskAdmission {
  if (task === undefined) {
    if (support === 'required')
      throw new ProtocolError(ErrorCode.methodNotFound, 'This tool must be called as a task');
    return NEVER;
  }
  if (support === 'never')
    throw new ProtocolError(ErrorCode.methodNotFound, 'This tool cannot be called as a task');
  const ttl = isJsonObject(task) ? task.ttl : task;
  const isValid = isJsonObject(task) && (ttl === undefined || typeof ttl === 'number');
  if (!isValid)
    throw new ProtocolError(
      ErrorCode.invalidParams,
      'Invalid params: task must be an object, and its ttl a number of milliseconds',
    );
  return { kind: 'now', options: typeof ttl === 'number' ? { ttlMs: ttl } : {} };
}
