import type { CallToolResult, JsonObject } from '@signalbox/mcp-core';
import type { ArtifactReader, ArtifactWriter } from './artifact-store.ts';
import type { EpochReader, EpochWriter } from './epoch-store.ts';
import type { IdempotencyWriter } from './idempotency-store.ts';
import type { ListReader } from './list-store.ts';
import type { ProgressReader, RunCore } from './progress-store.ts';
import type { Message, Usage } from './llm-provider.ts';
import type { Metadata, ThreadReader, ThreadWriter } from './thread-store.ts';
import type { CancelLevel } from './tool-registry.ts';

export type RunStatus =
  | 'queued'
  | 'running'
  | 'input_required'
  | 'cancelling'
  | 'completed'
  | 'failed'
  | 'cancelled'
  | 'expired';

/** The terminal ones. */
export const SETTLED_STATUSES: readonly RunStatus[] = [
  'completed',
  'failed',
  'cancelled',
  'expired',
];

export function isSettled(run: { readonly status: RunStatus }): boolean {
  return SETTLED_STATUSES.includes(run.status);
}

export interface RunLimits {
  readonly turns: number;
  readonly toolCalls: number;
  /** Milliseconds. */
  readonly wallClockMs: number;
  readonly callInactivityMs: number;
  readonly callMaxMs: number;
  readonly inboxExpiryMs: number;
  /** Of all model calls, those for servers included: input and output. No limit when unset. */
  readonly tokens?: number;
  /** US dollars, likewise. */
  readonly costUsd?: number;
  /** Of one message of the model, thinking included. As many as the model can write when unset. */
  readonly outputTokens?: number;
}

export interface RunError {
  /** Stable, snake_case. */
  readonly code: string;
  readonly message: string;
}

/** Failed attempts of a model call, of which another follows. Times are milliseconds since the Unix epoch. */
export interface ModelOutage {
  /** Time of the first failure. */
  readonly since: number;
  /** Failed attempts in a row. */
  readonly attempts: number;
  readonly nextAttemptAt: number;
  /** Reason of the last failure. */
  readonly error: RunError;
}

/** Times are milliseconds since the Unix epoch. */
export interface Run {
  readonly id: string;
  /** `call`: one tool call that a client asked for, without a model. */
  readonly kind: 'agent' | 'call';
  readonly status: RunStatus;
  readonly statusReason: string | undefined;
  readonly prompt: string;
  /** The servers whose tools the run may use; all when undefined. */
  readonly servers: readonly string[] | undefined;
  readonly provider: string;
  readonly model: string;
  readonly scripted: boolean;
  readonly limits: RunLimits;
  /** The conversation that the run is part of, and its place among the runs of it: 0, 1, 2… */
  readonly threadId: string | undefined;
  readonly threadPosition: number | undefined;
  /** The stored agent that the run began with; what it said then is in the fields of the run. */
  readonly agentId: string | undefined;
  /** Added to the instructions of every run. */
  readonly instructions: string | undefined;
  readonly metadata: Metadata;
  /** The run, and its last turn, that this one began with. */
  readonly forkedFrom: { readonly runId: string; readonly turn: number } | undefined;
  readonly lastSeq: number;
  readonly turns: number;
  readonly toolCalls: number;
  readonly usage: Usage | undefined;
  readonly answer: string | undefined;
  /** What the answer, as JSON, must fit. */
  readonly outputSchema: JsonObject | undefined;
  /** The answer as a value that fits `outputSchema`. */
  readonly output: unknown;
  /** The turn whose answer did not fit and was asked for again. */
  readonly repairedTurn: number | undefined;
  /** Messages in a row that were cut in the arguments of a call. */
  readonly cutTurns: number;
  readonly error: RunError | undefined;
  /** Present from the first failed attempt of a model call until the model answers. */
  readonly modelOutage: ModelOutage | undefined;
  /** Milliseconds that the wall clock does not count: those in `input_required`, without a wait that still lasts, and all before the run was resumed on request. */
  readonly waitedMs: number;
  /** When the wait that still lasts began. */
  readonly waitingSince: number | undefined;
  readonly createdAt: number;
  readonly startedAt: number | undefined;
  readonly finishedAt: number | undefined;
}

export interface RunEvent {
  readonly runId: string;
  readonly seq: number;
  /** Dotted, e.g. `tool_call.progress`. */
  readonly type: string;
  readonly version: number;
  readonly at: number;
  /** snake_case JSON, sent to clients as it is. */
  readonly data: JsonObject;
}

export type NewEvent = { readonly type: string; readonly data: JsonObject };

export type ToolCallState =
  | 'planned'
  | 'awaiting_approval'
  | 'dispatched'
  | 'input_required'
  | 'working'
  | 'succeeded'
  | 'failed'
  | 'cancelled'
  | 'unknown';

/** Those in which a call can still change by itself or by a person's approval. */
export const OPEN_CALL_STATES: readonly ToolCallState[] = [
  'planned',
  'awaiting_approval',
  'dispatched',
  'input_required',
  'working',
];

/** Those of a call that was sent and has not ended. */
export const SENT_CALL_STATES: readonly ToolCallState[] = [
  'dispatched',
  'input_required',
  'working',
];

/** A round of questions that a modern server asked in place of an answer. Who has it can go on with the call, whatever process sent it. */
export interface ParkedRound {
  /** 1 for the first of the call. */
  readonly round: number;
  /** Requests of the server by its names of them. */
  readonly inputRequests: JsonObject;
  /** To be given back as it is. */
  readonly requestState?: string;
}

/** A row of the ledger: it exists before anything is sent. */
export interface ToolCall {
  readonly id: string;
  readonly runId: string;
  readonly turn: number;
  /** Position among the calls of its turn. */
  readonly position: number;
  /** The model's id of the call. */
  readonly toolUseId: string;
  readonly wireName: string;
  readonly server: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  /** What the model asked for, where a person changed the arguments. */
  readonly modelArguments: JsonObject | undefined;
  readonly state: ToolCallState;
  readonly attempt: number;
  /** Boot id of the process that dispatched the current attempt. */
  readonly owner: string | undefined;
  readonly idempotencyKey: string;
  /** Whether the call may be sent again after a crash: a trusted server's read-only, or idempotent and not destructive, tool. */
  readonly repeatable: boolean;
  readonly result: CallToolResult | undefined;
  readonly error: string | undefined;
  readonly cancel: CancelLevel | undefined;
  /** When a client asked to cancel this call alone; set while it is being stopped and afterwards. */
  readonly cancelRequestedAt: number | undefined;
  /** Present from the questions of a modern server until the call is sent again with the answers. */
  readonly parked: ParkedRound | undefined;
  /** The server's name of the task that the call became. */
  readonly taskId: string | undefined;
  readonly createdAt: number;
  readonly finishedAt: number | undefined;
}

export type InboxKind =
  | 'tool_approval'
  | 'elicitation_form'
  | 'elicitation_url'
  | 'sampling_approval'
  | 'sampling_reply'
  | 'outcome_unknown';
export type InboxState = 'open' | 'answered' | 'delivered' | 'void' | 'expired';

/** What an approval was asked for; each but `call` is a SHA-256 digest in hex. */
export interface ApprovalBinding {
  /** Id of the tool call. */
  readonly call: string;
  /** How the server is started. */
  readonly server: string;
  /** The definition of the tool. */
  readonly tool: string;
  readonly arguments: string;
}

export interface InboxItem {
  readonly id: string;
  readonly runId: string;
  readonly callId: string | undefined;
  readonly kind: InboxKind;
  readonly state: InboxState;
  /** What is asked, snake_case JSON. */
  readonly request: JsonObject;
  readonly response: JsonObject | undefined;
  /** Boot id of the process that holds the parked call, where there is one. */
  readonly owner: string | undefined;
  /** Names the question within its call, so that the call finds its answer after a restart; only where the call is parked. */
  readonly questionKey: string | undefined;
  /** What the approval is good for; only of a `tool_approval`. */
  readonly binding: ApprovalBinding | undefined;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly answeredAt: number | undefined;
}

/** Further calls of a tool that a person allowed with an earlier one, whatever their arguments, as long as server and tool stay what they were. */
export interface RememberedApproval {
  readonly id: string;
  /** The run of the approved call; what was remembered goes with it. */
  readonly runId: string;
  /** Set where the approval counts for all runs of the thread, not only for this one. */
  readonly threadId: string | undefined;
  /** The inbox item whose answer said so. */
  readonly itemId: string;
  readonly server: string;
  readonly tool: string;
  readonly serverDigest: string;
  readonly toolDigest: string;
  readonly createdAt: number;
}

/** A decision about, or the end of, something with an effect. Entries are added and never changed; they outlive the run. */
export interface AuditEntry {
  /** Who decided, or ended it: a person through the API, the configuration, an approval that a person gave before, time, or the service itself. */
  readonly who: 'person' | 'policy' | 'remembered' | 'expiry' | 'service';
  readonly runId: string;
  readonly callId: string | undefined;
  readonly itemId: string | undefined;
  readonly kind: 'tool_call' | Exclude<InboxKind, 'tool_approval'>;
  readonly server: string | undefined;
  readonly tool: string | undefined;
  /** SHA-256 of the canonical JSON of the arguments, in hex. */
  readonly argumentsSha256: string | undefined;
  /** Stable, snake_case; one of `decision` and `outcome` is set. */
  readonly decision: string | undefined;
  readonly outcome: 'succeeded' | 'failed' | 'cancelled' | 'unknown' | undefined;
}

export interface StoredAuditEntry extends AuditEntry {
  /** 1, 2, 3… over all runs. */
  readonly seq: number;
  readonly at: number;
}

export interface StoredMessage extends Message {
  readonly id: string;
  readonly turn: number;
}

/** A message of a thread, with its place in it. */
export interface ThreadMessage extends StoredMessage {
  readonly runId: string;
  readonly threadPosition: number;
  /** Place among the messages of its run. */
  readonly position: number;
}

/** Text of an unfinished message, overwritten while it grows. */
export interface PartialMessage {
  readonly messageId: string;
  readonly text: string;
}

/** A model call that has not ended. */
export interface ActiveTurn {
  readonly turn: number;
  /** Boot id of the process that makes the call. */
  readonly owner: string;
  readonly messageId: string;
}

export interface Page<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | undefined;
}

/** A key that is present with the value `undefined` clears the field. */
export type RunPatch = Partial<
  Pick<
    Run,
    | 'metadata'
    | 'status'
    | 'statusReason'
    | 'turns'
    | 'toolCalls'
    | 'usage'
    | 'answer'
    | 'output'
    | 'repairedTurn'
    | 'cutTurns'
    | 'error'
    | 'limits'
    | 'modelOutage'
    | 'waitedMs'
    | 'waitingSince'
    | 'startedAt'
    | 'finishedAt'
  >
>;
export type ToolCallPatch = Partial<
  Pick<
    ToolCall,
    | 'state'
    | 'arguments'
    | 'modelArguments'
    | 'idempotencyKey'
    | 'attempt'
    | 'owner'
    | 'result'
    | 'error'
    | 'cancel'
    | 'cancelRequestedAt'
    | 'parked'
    | 'taskId'
    | 'finishedAt'
  >
>;

/** Reads, on their own connection where the database has one. */
export interface RunReader
  extends ThreadReader, ArtifactReader, EpochReader, ListReader, ProgressReader {
  run(id: string): Promise<Run | undefined>;
  /** How many runs have each status; those without any are left out. */
  runCounts(): Promise<ReadonlyMap<RunStatus, number>>;
  /** Ascending, `seq > after`. */
  events(
    runId: string,
    options: { readonly after: number; readonly limit: number },
  ): Promise<readonly RunEvent[]>;
  messages(runId: string): Promise<readonly StoredMessage[]>;
  /** In order; of the runs before a place, or after a message, when given. */
  threadMessages(
    threadId: string,
    options?: ThreadMessageOptions,
  ): Promise<readonly ThreadMessage[]>;
  toolCall(id: string): Promise<ToolCall | undefined>;
  /** In order of turn and position; of one turn, or in some states only, when given. */
  toolCalls(
    runId: string,
    filter?: { readonly turn?: number; readonly state?: readonly ToolCallState[] },
  ): Promise<readonly ToolCall[]>;
  inboxItem(id: string): Promise<InboxItem | undefined>;
  /** The item of a question of a parked call; the latest. */
  inboxItemOf(callId: string, questionKey: string): Promise<InboxItem | undefined>;
  /** Oldest first. */
  inboxItems(options: {
    readonly runId?: string;
    readonly callId?: string;
    readonly state?: InboxState;
  }): Promise<readonly InboxItem[]>;
  countInboxItems(options: {
    readonly callId: string;
    readonly state?: InboxState;
  }): Promise<number>;
  /** Those that count for a run, or all of them, oldest first. */
  rememberedApprovals(filter?: {
    readonly runId: string;
    readonly threadId?: string | undefined;
  }): Promise<readonly RememberedApproval[]>;
  /** In the order in which they were written, `seq > after`. */
  audit(options: {
    readonly runId?: string;
    readonly after: number;
    readonly limit: number;
  }): Promise<readonly StoredAuditEntry[]>;
  partial(runId: string): Promise<PartialMessage | undefined>;
  /** The turn whose model call has not ended. */
  activeTurn(runId: string): Promise<ActiveTurn | undefined>;
  /** Runs of a thread in no terminal status, oldest first. */
  unsettledRuns(filter: { readonly threadId: string }): Promise<readonly RunCore[]>;
}

export interface ThreadMessageOptions {
  /** Place of a run in the thread. */
  readonly before?: number;
  readonly after?: Pick<ThreadMessage, 'threadPosition' | 'position'>;
  readonly limit?: number;
}

/**
 * One transaction. State rows decide; events are written with them, and `append` takes the next `seq`s in the same transaction, so commit order
 * is `seq` order. Nothing but these methods may be awaited inside one.
 */
export interface RunTransaction
  extends RunReader, ThreadWriter, ArtifactWriter, EpochWriter, IdempotencyWriter {
  insertRun(run: Run): Promise<void>;
  /** The place of the next run of a thread. */
  nextThreadPosition(threadId: string): Promise<number>;
  /** With everything of it but the audit; the responses that were kept about it go too. */
  deleteRun(id: string): Promise<void>;
  updateRun(id: string, patch: RunPatch): Promise<void>;
  /** Returns the last `seq` given. */
  append(runId: string, events: readonly NewEvent[]): Promise<number>;
  insertMessage(runId: string, message: StoredMessage): Promise<void>;
  /** Deletes the messages of later turns. */
  deleteMessagesAfter(runId: string, turn: number): Promise<void>;
  insertToolCall(call: ToolCall): Promise<void>;
  /** Applies the patch when the row still has that state and attempt; returns whether it did. Late writes of an older attempt are refused so. */
  updateToolCall(
    id: string,
    expected: { readonly state: readonly ToolCallState[]; readonly attempt?: number },
    patch: ToolCallPatch,
  ): Promise<boolean>;
  insertInboxItem(item: InboxItem): Promise<void>;
  /** Applies when the row still has that state; returns whether it did. */
  updateInboxItem(
    id: string,
    expected: InboxState,
    patch: Partial<Pick<InboxItem, 'state' | 'request' | 'response' | 'binding' | 'answeredAt'>>,
  ): Promise<boolean>;
  rememberApproval(approval: RememberedApproval): Promise<void>;
  /** Returns whether it was there. */
  forgetApproval(id: string): Promise<boolean>;
  appendAudit(entries: readonly AuditEntry[]): Promise<void>;
  /** Counts one more request of the server for the model and returns how many there were in the run. */
  countSampling(runId: string, server: string): Promise<number>;
  savePartial(runId: string, partial: PartialMessage | undefined): Promise<void>;
  /** A turn row is one attempt of a model call; `messageId` identifies it. */
  startTurn(turn: ActiveTurn & { readonly runId: string }): Promise<void>;
  /** Ends the attempt when it is still active; returns whether it was. */
  endTurn(
    messageId: string,
    status: 'completed' | 'failed' | 'interrupted' | 'cancelled',
  ): Promise<boolean>;
}

export interface RunStore {
  /** Identifies this process's life; leases of other boots are void. */
  readonly bootId: string;
  readonly read: RunReader;
  /** Runs `work` in one write transaction and retries nothing; throwing rolls back. `urgent`: a client waits for it, so it goes before others that wait. */
  write<T>(
    work: (transaction: RunTransaction) => Promise<T>,
    options?: { readonly urgent?: boolean },
  ): Promise<T>;
  /** @throws StorageError `lost` when the files of the store were removed or replaced */
  checkFiles(): void;
  /** Checks the files and writes a little. @throws StorageError */
  probe(): Promise<void>;
  close(): Promise<void>;
}

/** The store cannot keep anything at present. */
export class StorageError extends Error {
  /** `full`: the disk has no room; `broken`: the disk cannot be read or written; `lost`: the files were removed or replaced. */
  readonly reason: 'full' | 'broken' | 'lost';

  constructor(reason: StorageError['reason'], message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.name = 'StorageError';
    this.reason = reason;
  }
}

/** A stored value is not what was written: its row was changed or damaged outside of the service. */
export class DamagedRowError extends Error {
  constructor(column: string, options: ErrorOptions = {}) {
    super(`the stored ${column} is damaged and cannot be read`, options);
    this.name = 'DamagedRowError';
  }
}

export class InvalidCursorError extends Error {
  constructor() {
    super(
      'the cursor is not one that this service gave; leave it out to start from the first page',
    );
    this.name = 'InvalidCursorError';
  }
}
