import { missingCapabilityError } from '../../era/client-can.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { ActiveRequest } from '../requests/active-request.ts';
import type { TaskEngine } from './task-engine.ts';
import type { TaskRecord } from './task-store.ts';

const MAX_TASKS = 1000;

/**
 * Sends the changes of at most 1000 tasks to one listen stream.
 * @see https://github.com/modelcontextprotocol/ext-tasks
 */
export class TaskFeed {
  readonly #engine: TaskEngine;
  readonly #request: ActiveRequest;
  readonly #pending = new Map<string, TaskRecord>();
  readonly #stopListening: () => void;
  #taskIds: ReadonlySet<string> = new Set();
  #send: ((task: JsonObject) => void) | undefined;

  constructor(engine: TaskEngine, request: ActiveRequest) {
    this.#engine = engine;
    this.#request = request;
    this.#stopListening = engine.listen((record) => {
      this.#changed(record);
    });
  }

  /** Returns the tasks that the client can see. @throws ProtocolError -32021 when the request did not declare the extension. */
  async accept(taskIds: readonly string[]): Promise<readonly string[]> {
    const { port, auth } = this.#request;
    if (!port.client.can('tasks')) throw missingCapabilityError('tasks');
    const unique = [...new Set(taskIds)].slice(0, MAX_TASKS);
    const found = await Promise.allSettled(
      unique.map((taskId) => this.#engine.find(taskId, auth?.principal)),
    );
    const failure = found.find(
      (outcome) => outcome.status === 'rejected' && !(outcome.reason instanceof ProtocolError),
    );
    if (failure?.status === 'rejected') throw failure.reason;
    const accepted = unique.filter((_taskId, index) => found[index]?.status === 'fulfilled');
    this.#taskIds = new Set(accepted);
    return accepted;
  }

  /** Starts sending, beginning with the changes since the construction. */
  start(send: (task: JsonObject) => void): void {
    this.#send = send;
    for (const record of this.#pending.values()) this.#changed(record);
    this.#pending.clear();
  }

  end(): void {
    this.#stopListening();
  }

  #changed(record: TaskRecord): void {
    if (this.#send === undefined) this.#pending.set(record.taskId, record);
    else if (this.#taskIds.has(record.taskId))
      this.#send(this.#request.port.codec.encodeTask(record));
  }
}
