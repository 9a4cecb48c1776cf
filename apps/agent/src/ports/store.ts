import type { ArtifactReader, ArtifactWriter } from './store/artifact.ts';
import type { EpochReader, EpochWriter } from './store/epoch.ts';
import type { IdempotencyWriter } from './store/idempotency.ts';
import type { ListReader } from './store/list.ts';
import type { ProgressReader } from './store/progress.ts';
import type { RunTextReader, RunTextWriter } from './store/run-texts.ts';
import type { RetentionReader, RetentionWriter } from './store/retention.ts';
import type { ApprovalReader, ApprovalWriter } from './store/approval.ts';
import type { AuditReader, AuditWriter } from './store/audit.ts';
import type { InboxReader, InboxWriter } from './store/inbox.ts';
import type { MessageReader, MessageWriter } from './store/message.ts';
import type { RunEventReader, RunEventWriter } from './store/run-event.ts';
import type { RunReader, RunWriter } from './store/run.ts';
import type { ToolCallReader, ToolCallWriter } from './store/tool-call.ts';
import type { AgentReader, AgentWriter } from './store/agent.ts';
import type { ThreadReader, ThreadWriter } from './store/thread.ts';
import type { CallRateReader, CallRateWriter } from './store/call-rate.ts';
import type { ScheduleReader, ScheduleWriter } from './store/schedule.ts';
import type { StatsReader } from './store/stats.ts';
import type { SweepReader } from './store/sweep.ts';
import type { WebhookReader, WebhookWriter } from './store/webhook.ts';
import type { WorkerReader, WorkerWriter } from './store/worker.ts';

/** All reads of the store, on a connection of their own where the database has one. */
export interface StoreReader
  extends
    RunReader,
    RunEventReader,
    MessageReader,
    ToolCallReader,
    CallRateReader,
    InboxReader,
    ApprovalReader,
    AuditReader,
    ThreadReader,
    AgentReader,
    ArtifactReader,
    EpochReader,
    ListReader,
    ProgressReader,
    RetentionReader,
    RunTextReader,
    ScheduleReader,
    StatsReader,
    SweepReader,
    WebhookReader,
    WorkerReader {}

/**
 * A write transaction. `append` takes the next `seq`s in the same transaction as the changes that
 * the events describe, so commit order is `seq` order. Only methods of the transaction may be awaited
 * inside it.
 */
export interface StoreTransaction
  extends
    StoreReader,
    RunWriter,
    RunEventWriter,
    MessageWriter,
    ToolCallWriter,
    CallRateWriter,
    InboxWriter,
    ApprovalWriter,
    AuditWriter,
    ThreadWriter,
    AgentWriter,
    ArtifactWriter,
    EpochWriter,
    IdempotencyWriter,
    RetentionWriter,
    RunTextWriter,
    ScheduleWriter,
    WebhookWriter,
    WorkerWriter {}

/**
 * The rows that a write transaction locks before its first read: the thread, then the run. The lock
 * of a run includes its thread. An id without a row locks nothing.
 */
export interface RowLocks {
  readonly run?: string;
  readonly thread?: string;
}

export interface Store {
  /**
   * Whether no other process had the store open when this one opened it. All workers from before
   * are dead then.
   */
  readonly isAlone: boolean;
  /** Whether other processes may use the store at the same time. */
  readonly isShared: boolean;
  /** Identifies this process as an owner. `join` changes it. */
  readonly workerId: string;
  /** Joins again under a new id, after other workers ended the lease of this one. */
  join(): Promise<void>;
  readonly read: StoreReader;
  /**
   * Runs `work` in a write transaction, and rolls back when it throws. The transaction first locks
   * the rows that `locks` names and holds the locks until it ends, so what `work` reads of them
   * cannot change before the commit. `work` can begin before the locks are there; its reads wait.
   * A write need not wait for its result: its failure rejects the transaction. Only those rows are safe to read and then write; changes to
   * other rows compare what they expect in their statement. A store may lock more: SQLite runs one
   * write at a time.
   *
   * `work` may run again after a rollback: when the database gave up the transaction (a deadlock or
   * a serialization failure), or when the store ran other writes in the same transaction and one of
   * them failed. It therefore changes nothing outside of its transaction, and collects its effects in
   * what it returns: the result is that of the last run.
   *
   * `urgent`: a client waits for the result, so the transaction is started before others that wait.
   */
  write<T>(
    locks: RowLocks,
    work: (transaction: StoreTransaction) => Promise<T>,
    options?: { readonly urgent?: boolean },
  ): Promise<T>;
  /** @throws StorageError `lost` when the files of the store were removed or replaced */
  checkFiles(): void;
  /** Checks the files and writes a small row. @throws StorageError */
  probe(): Promise<void>;
  close(): Promise<void>;
}
