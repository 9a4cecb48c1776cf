import type { JsonRpcErrorObject } from '../../jsonrpc/messages.ts';
import { ErrorCode, LocalError } from '../../protocol/errors.ts';
import { isEnded, type TaskStatus } from '../../protocol/tasks.ts';
import type { TaskOutcome } from './task-handle.ts';
import { TaskInputRequests } from './task-input.ts';
import type { TaskRecord, TaskStore } from './task-store.ts';

export interface RunningTaskHost {
  readonly store: TaskStore;
  readonly now: () => number;
  /** Called after each change of the status or of the open questions, with the end when it is stored. */
  readonly onChanged: (record: TaskRecord) => void;
  /** Called once, when the end is stored or can no longer be. */
  readonly onEnded: (isStored: boolean) => void;
  readonly onError: (error: unknown) => void;
}

const interruption = 'The server ended before the task did; it will not be continued.';

/** How a task ends whose server ends before it. */
export const INTERRUPTED = {
  statusMessage: interruption,
  error: { code: ErrorCode.internalError, message: interruption },
} as const;

/** A task whose handler runs in this process. Its state changes here at once and is then written to the store, the latest state last. */
export class RunningTask {
  readonly questions: TaskInputRequests;
  /** Hears of what the host hears. */
  onChanged: ((record: TaskRecord) => void) | undefined;
  /** Resolves when the task has ended and that is stored. Never rejects. */
  readonly ended: Promise<TaskRecord>;
  readonly #host: RunningTaskHost;
  readonly #controller = new AbortController();
  readonly #end = Promise.withResolvers<TaskRecord>();
  #record: TaskRecord;
  #storedStatus: TaskStatus;
  #isSaving = false;
  #isDirty = false;

  /** `record` is stored already. */
  constructor(record: TaskRecord, host: RunningTaskHost) {
    this.#record = record;
    this.#storedStatus = record.status;
    this.#host = host;
    this.ended = this.#end.promise;
    this.questions = new TaskInputRequests(() => {
      this.#questionsChanged();
    });
  }

  get record(): TaskRecord {
    return this.#record;
  }

  /** Aborts when the task is over for any other reason than its handler's end. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The text stays until the next one or the end. */
  report(statusMessage: string): void {
    if (!isEnded(this.#record.status) && statusMessage !== this.#record.statusMessage)
      this.#change({ statusMessage });
  }

  /** What comes after the end is dropped. */
  settle(outcome: TaskOutcome): void {
    if ('result' in outcome) {
      this.#finish({ status: 'completed', result: outcome.result });
    } else {
      const error: JsonRpcErrorObject = outcome.error.toJSON();
      this.#finish({ status: 'failed', statusMessage: error.message, error });
    }
  }

  /** False when it has ended before. */
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

  /** The server ends before the handler does. */
  interrupt(): void {
    if (this.#finish({ status: 'failed', ...INTERRUPTED }))
      this.#stop(new LocalError('connection-closed', INTERRUPTED.statusMessage));
  }

  /** Its time is over: the handler is told to stop and nothing more is stored. */
  expire(): void {
    const message = 'The task has expired';
    this.#finish({
      status: 'failed',
      statusMessage: message,
      error: { code: ErrorCode.invalidParams, message },
    });
    this.#stop(new LocalError('request-timeout', 'The task has expired', { sent: true }));
  }

  #questionsChanged(): void {
    if (isEnded(this.#record.status)) return;
    const { open } = this.questions;
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
    this.onChanged?.(this.#record);
    this.#host.onChanged(this.#record);
  }

  /** The questions of the handler end with its signal. */
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

  /** Somebody else ended or deleted the task in the store. */
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
