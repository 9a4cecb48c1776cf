import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { Implementation } from '../../protocol/implementation.ts';
import type { JsonSchema } from '../../protocol/tools.ts';
import type { ActiveRequest } from '../requests/active-request.ts';
import type { TaskMethod } from './task-method-names.ts';
import { TaskEngine } from './task-engine.ts';
import { TaskFeed } from './task-feed.ts';
import type { TaskOptions, TaskRequest, TaskStarter } from './task-handle.ts';
import { serveTaskMethod } from './task-methods.ts';
import type { ServerTaskOptions } from './task-options.ts';
import { startTask } from './task-starter.ts';

export type { TaskFeed } from './task-feed.ts';

export interface TaskRuntimeContext {
  readonly info: Implementation;
  readonly outputSchemaOf: (toolName: string) => JsonSchema | undefined;
  readonly onError: (error: unknown) => void;
}

/** The engine of a server's tasks and all that uses it: the module that a server loads for its first task. */
export class TaskRuntime {
  readonly #engine: TaskEngine;
  readonly #context: TaskRuntimeContext;

  constructor(options: ServerTaskOptions, context: TaskRuntimeContext) {
    this.#engine = new TaskEngine(options, context.onError);
    this.#context = context;
  }

  serve(method: TaskMethod, request: ActiveRequest): Promise<JsonObject> {
    return serveTaskMethod(method, { engine: this.#engine, ...this.#context }, request);
  }

  start(request: TaskRequest, options: TaskOptions): ReturnType<TaskStarter['start']> {
    return startTask(this.#engine, request, options);
  }

  openFeed(request: ActiveRequest): TaskFeed {
    return new TaskFeed(this.#engine, request);
  }

  stop(): Promise<void> {
    return this.#engine.stop();
  }
}
