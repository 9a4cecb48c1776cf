import { missingCapabilityError } from '../../era/client-can.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { ActiveRequest } from '../requests/active-request.ts';
import type { TaskEngine } from './task-engine.ts';
import type { TaskRecord } from './task-store.ts';

const MAX_TASKS = 1000;

/**
 * The changes of the tasks that one listen stream names; of more than 1000 the first.
 * @see https://github.com/modelcontextprotocol/ext-tasks
 */
export class TaskFeed {
  readonly #engine: TaskEngine;
  readonly #request: ActiveRequest;
  readonly #early = new Map<string, TaskRecord>();
  readonly #stopHearing: () => void;
  #taskIds: ReadonlySet<string> = new Set();
  #send: ((task: JsonObject) => void) | undefined;

  constructor(engine: TaskEngine, request: ActiveRequest) {
    this.#engine = engine;
    this.#request = request;
    this.#stopHearing = engine.listen((record) => {
      this.#hear(record);
    });
  }

  /** Which of the tasks this client can see. @throws ProtocolError -32021 when the request did not declare the extension. */
  async honour(taskIds: readonly string[]): Promise<readonly string[]> {
    const { client, auth } = this.#request;
    if (!client.can('tasks')) throw missingCapabilityError('tasks');
    const unique = [...new Set(taskIds)].slice(0, MAX_TASKS);
    const found = await Promise.allSettled(
      unique.map((taskId) => this.#engine.find(taskId, auth?.principal)),
    );
    const failure = found.find(
      (outcome) => outcome.status === 'rejected' && !(outcome.reason instanceof ProtocolError),
    );
    if (failure?.status === 'rejected') throw failure.reason;
    const honoured = unique.filter((_taskId, index) => found[index]?.status === 'fulfilled');
    this.#taskIds = new Set(honoured);
    return honoured;
  }

  /** Nothing is sent before; what changed since this was made is sent now. */
  start(send: (task: JsonObject) => void): void {
    this.#send = send;
    for (const record of this.#early.values()) this.#hear(record);
    this.#early.clear();
  }

  end(): void {
    this.#stopHearing();
  }

  #hear(record: TaskRecord): void {
    if (this.#send === undefined) this.#early.set(record.taskId, record);
    else if (this.#taskIds.has(record.taskId))
      this.#send(this.#request.port.codec.encodeTask(record));
  }
}
