import type { JsonRpcErrorObject } from '../../jsonrpc/messages.ts';
import { retainSerialized } from '../../jsonrpc/serialized-json.ts';
import { ErrorCode, LocalError } from '../../protocol/errors.ts';
import { isEnded, type TaskStatus } from '../../protocol/tasks.ts';
import type { TaskOutcome } from './task-handle.ts';
import { TaskInputRequests } from './task-input-requests.ts';
import type { TaskRecord, TaskStore } from './task-store.ts';

export interface RunningTaskHost {
  readonly store: TaskStore;
  readonly now: () => number;
  /** Called after each change of the status or of the open input requests; with the end when it is stored. */
  readonly onChanged: (record: TaskRecord) => void;
  /** Called once, when the end is stored or storing it has failed. */
  readonly onEnded: (isStored: boolean) => void;
  readonly onError: (error: unknown) => void;
}

const INTERRUPTION = 'The server ended before the task did; it will not be continued.';

/** The end of a task whose server ended first. */
export const INTERRUPTED = {
  statusMessage: INTERRUPTION,
  error: { code: ErrorCode.internalError, message: INTERRUPTION },
} as const;

/** A task whose handler runs in this process. Its state changes in memory first and is then written to the store; the latest state is written last. */
export class RunningTask {
  readonly inputRequests: TaskInputRequests;
  /** Resolves when the end of the task is stored. Never rejects. */
  readonly ended: Promise<TaskRecord>;
  readonly #host: RunningTaskHost;
  readonly #controller = new AbortController();
  readonly #end = Promise.withResolvers<TaskRecord>();
  #record: TaskRecord;
  #storedStatus: TaskStatus;
  #listener: ((record: TaskRecord) => void) | undefined;
  #isSaving = false;
  #isDirty = false;

  /** `record` must be stored already. */
  constructor(record: TaskRecord, host: RunningTaskHost) {
    this.#record = record;
    this.#storedStatus = record.status;
    this.#host = host;
    this.ended = this.#end.promise;
    this.inputRequests = new TaskInputRequests(() => {
      this.#inputRequestsChanged();
    });
  }

  get record(): TaskRecord {
    return this.#record;
  }

  /** Aborts when the task ends before its handler. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Registers the listener that is called like the host's `onChanged`. */
  onChanged(listener: (record: TaskRecord) => void): void {
    this.#listener = listener;
  }

  /** Sets the status message. */
  report(statusMessage: string): void {
    if (!isEnded(this.#record.status) && statusMessage !== this.#record.statusMessage)
      this.#change({ statusMessage });
  }

  /** Ends the task with the outcome of its handler; does nothing after the end. */
  settle(outcome: TaskOutcome): void {
    if ('result' in outcome) {
      this.#finish({ status: 'completed', result: retainSerialized(outcome.result) });
    } else {
      const error: JsonRpcErrorObject = outcome.error.toJSON();
      this.#finish({ status: 'failed', statusMessage: error.message, error });
    }
  }

  /** Cancels the task. Returns false when it has ended before. */
  cancel(): boolean {
    const hasEffect = this.#finish({
      status: 'cancelled',
      statusMessage: 'The task was cancelled.',
    });
    if (hasEffect)
      this.#stop(
        new LocalError('request-cancelled', 'The client cancelled the task', { sent: true }),
      );
    return hasEffect;
  }

  /** Ends the task because the server stops. */
  interrupt(): void {
    if (this.#finish({ status: 'failed', ...INTERRUPTED }))
      this.#stop(new LocalError('connection-closed', INTERRUPTED.statusMessage));
  }

  /** Ends the task because its time to live is over. */
  expire(): void {
    const message = 'The task has expired';
    this.#finish({
      status: 'failed',
      statusMessage: message,
      error: { code: ErrorCode.invalidParams, message },
    });
    this.#stop(new LocalError('request-timeout', 'The task has expired', { sent: true }));
  }

  #inputRequestsChanged(): void {
    if (isEnded(this.#record.status)) return;
    const { open } = this.inputRequests;
    const { inputRequests: _closed, ...rest } = this.#record;
    this.#record = rest;
    this.#change(
      open === undefined
        ? { status: 'working' }
        : { status: 'input_required', inputRequests: open },
    );
    this.#publish();
  }

  #finish(end: Partial<TaskRecord>): boolean {
    if (isEnded(this.#record.status)) return false;
    const { inputRequests: _open, statusMessage: _last, ...rest } = this.#record;
    this.#record = rest;
    this.#change(end);
    return true;
  }

  #publish(): void {
    this.#listener?.(this.#record);
    this.#host.onChanged(this.#record);
  }

  /** Aborts the handler's signal, which also ends its input requests. */
  #stop(reason: LocalError): void {
    this.#controller.abort(reason);
  }

  #change(change: Partial<TaskRecord>): void {
    this.#record = {
      ...this.#record,
      ...change,
      lastUpdatedAt: new Date(this.#host.now()).toISOString(),
    };
    this.#isDirty = true;
    if (!this.#isSaving) void this.#save();
  }

  async #save(): Promise<void> {
    this.#isSaving = true;
    let writing: Writing = 'stored';
    while (this.#isDirty) {
      this.#isDirty = false;
      writing = await this.#write(this.#record);
      if (writing === 'lost') this.#lost();
    }
    this.#isSaving = false;
    if (!isEnded(this.#record.status)) return;
    this.#publish();
    this.#end.resolve(this.#record);
    this.#host.onEnded(writing !== 'failed');
  }

  async #write(record: TaskRecord): Promise<Writing> {
    try {
      const isStored = await this.#host.store.update(record, this.#storedStatus);
      if (isStored) this.#storedStatus = record.status;
      return isStored ? 'stored' : 'lost';
    } catch (error) {
      this.#host.onError(error);
      return 'failed';
    }
  }

  /** Ends a task that was ended or deleted in the store by another writer. */
  #lost(): void {
    const message = 'The task is no longer in the store';
    const hasEffect = this.#finish({
      status: 'failed',
      statusMessage: message,
      error: { code: ErrorCode.internalError, message },
    });
    if (hasEffect) this.#stop(new LocalError('request-cancelled', message, { sent: true }));
  }
}

type Writing = 'stored' | 'lost' | 'failed';
