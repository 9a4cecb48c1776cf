import type { JsonObject } from '@signalbox/mcp-core';
import type { RequestedSettings } from './model-settings.ts';
import type { Priority } from './priority.ts';
import type { InboxItem } from './store/inbox.ts';
import type { Run, RunCore } from './store/run.ts';
import type { StoreTransaction } from './store.ts';
import type { RequestedToolRules } from './tool-rules.ts';
import type { ToolCall } from './store/tool-call.ts';
import type { Artifact } from './store/artifact.ts';
import type { Agent, AgentDefinition } from './store/agent.ts';
import type { Metadata } from './store/metadata.ts';
import type { Thread, ThreadDetails } from './store/thread.ts';

export interface NewRun {
  readonly prompt: string;
  readonly servers?: readonly string[];
  readonly model?: string;
  readonly limits?: Partial<Run['limits']>;
  readonly modelSettings?: RequestedSettings;
  readonly toolRules?: RequestedToolRules;
  /** Instructions in addition to the service's own. */
  readonly instructions?: string;
  /** Stored agent that provides the fields which are not given. */
  readonly agentId?: string;
  /** Version of the agent. Default: the current one. */
  readonly agentVersion?: number;
  readonly threadId?: string;
  /**
   * Action while a run of the thread is not settled: refuse, wait for it, or cancel it and continue
   * when it has ended. Default: `reject`.
   */
  readonly onBusy?: 'reject' | 'enqueue' | 'interrupt';
  /** Default: `normal`. */
  readonly priority?: Priority;
  /** Name of the API key of the request. Default: `anonymous`. */
  readonly apiKey?: string;
  readonly metadata?: Metadata;
  /** Ids of artifacts that the run can read. */
  readonly artifacts?: readonly string[];
  /** JSON Schema of an object that the answer must match. */
  readonly outputSchema?: JsonObject;
}

/** A definition for an agent. */
export interface NewDefinition extends AgentDefinition {
  /** Name of the API key of the request. Default: `anonymous`. */
  readonly apiKey?: string;
}

/** A text or another file for later runs. */
export interface NewArtifact {
  readonly mediaType: string;
  readonly content: string | Buffer;
}

/** A tool call without a model. */
export interface NewCall {
  readonly wireName: string;
  readonly arguments: JsonObject;
  /** Name of the API key of the request. Default: `anonymous`. */
  readonly apiKey?: string;
  readonly limits?: Partial<Run['limits']>;
  readonly metadata?: Metadata;
}

/** A run and its only call. */
export interface CallRun {
  readonly run: Run;
  readonly call: ToolCall;
}

/** A fork of a run. Fields and limits that are not given are copied from the run. */
export interface Fork extends Pick<
  NewRun,
  | 'servers'
  | 'model'
  | 'limits'
  | 'modelSettings'
  | 'toolRules'
  | 'instructions'
  | 'priority'
  | 'apiKey'
  | 'metadata'
  | 'outputSchema'
> {
  /**
   * Last turn that is copied; 0 copies only the prompt. Default: the last turn whose calls have
   * ended.
   */
  readonly atTurn?: number;
  /** Next user message. At turn 0 it replaces the prompt. */
  readonly prompt?: string;
}

/**
 * Stores the caller's record of an effect in the transaction of the effect. May run again with
 * another result when that transaction is retried; the last run counts.
 */
export type OnCommit<T> = (transaction: StoreTransaction, result: T) => Promise<void>;

/** Error with which the engine refuses a request. `http/problem.ts` maps the code to a status. */
export class EngineError extends Error {
  readonly code:
    | 'run_not_found'
    | 'run_not_settled'
    | 'run_not_resumable'
    | 'invalid_fork'
    | 'thread_not_found'
    | 'thread_busy'
    | 'too_many_runs'
    | 'run_rate_exceeded'
    | 'agent_not_found'
    | 'tool_not_found'
    | 'tool_quarantined'
    | 'tool_call_not_found'
    | 'invalid_arguments'
    | 'invalid_output_schema'
    | 'unknown_price'
    | 'invalid_model'
    | 'unsupported_setting'
    | 'unknown_agent'
    | 'unknown_agent_version'
    | 'unknown_artifact'
    | 'unknown_thread'
    | 'unknown_server'
    | 'inbox_item_not_found'
    | 'inbox_item_not_open'
    | 'approval_not_found'
    | 'invalid_response'
    | 'invalid_schedule'
    | 'too_many_schedules'
    | 'schedule_not_found'
    | 'schedule_changed'
    | 'webhook_url_refused'
    | 'too_many_webhooks'
    | 'webhook_not_found'
    | 'webhook_disabled'
    | 'delivery_not_found'
    | 'delivery_pending'
    | 'shutting_down';

  /** Problems by field. `path` is a JSON pointer into the input. */
  readonly problems: readonly { readonly path: string; readonly message: string }[] | undefined;

  constructor(code: EngineError['code'], message: string, problems?: EngineError['problems']) {
    super(message);
    this.name = 'EngineError';
    this.code = code;
    this.problems = problems;
  }
}

/** Refusal of a request that is accepted later. */
export class RateExceededError extends EngineError {
  /** Milliseconds until it would be accepted. */
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs: number) {
    super('run_rate_exceeded', message);
    this.retryAfterMs = retryAfterMs;
  }
}

/** Refuses a change by throwing. Gets the stored value in the transaction of the change; must be pure. */
export type Check<T> = (current: T) => void;

/** Commands to the runs, in any process. Callers read state from the store. */
export interface RunCommands {
  /**
   * Resolves when the run is committed. The run will reach a terminal status even after a crash.
   * @throws EngineError `unknown_server`, `invalid_output_schema`, `invalid_model`,
   * `unsupported_setting`, `unknown_price`, `unknown_agent`, `unknown_agent_version`, `unknown_artifact`, `unknown_thread`, `thread_busy`, `too_many_runs`,
   * `run_rate_exceeded`
   */
  createRun(input: NewRun, onCommit?: OnCommit<Run>): Promise<Run>;
  /**
   * Checks a run that is to be created later. It may be refused then nevertheless.
   * @throws EngineError those of `createRun` except `unknown_artifact`, `thread_busy`, `too_many_runs` and
   * `run_rate_exceeded`
   */
  checkRun(input: NewRun): Promise<void>;
  /**
   * Makes one tool call in a run of its own, with the usual approvals and limits.
   * @throws EngineError `tool_not_found`, `tool_quarantined`, `invalid_arguments`
   */
  startCall(input: NewCall, onCommit?: OnCommit<CallRun>): Promise<CallRun>;
  /**
   * Starts a run with a copy of another run's conversation up to the end of a turn.
   * @throws EngineError `run_not_found`, `invalid_fork`, `unknown_server`, `invalid_output_schema`,
   * `unknown_price`, `invalid_model`, `unsupported_setting`
   */
  forkRun(id: string, fork: Fork, onCommit?: OnCommit<Run>): Promise<Run>;
  /**
   * Cancels a run. Idempotent: a settled run is returned unchanged.
   * @throws EngineError `run_not_found`
   */
  cancelRun(id: string, reason?: string, onCommit?: OnCommit<Run>): Promise<Run>;
  /**
   * Continues a failed or expired run with its next model call, a new wall clock and the given
   * `limits`. No tool call is repeated.
   * @throws EngineError `run_not_found`, `run_not_resumable`
   */
  resumeRun(id: string, limits?: Partial<Run['limits']>, onCommit?: OnCommit<Run>): Promise<Run>;
  /**
   * Cancels one call of a run. A call that has ended is returned unchanged.
   * @throws EngineError `run_not_found`, `tool_call_not_found`
   */
  cancelCall(
    call: Pick<ToolCall, 'runId' | 'id'>,
    onCommit?: OnCommit<ToolCall>,
  ): Promise<ToolCall>;
  /**
   * Deletes a settled run and its rows, except for the audit.
   * @throws EngineError `run_not_found`, `run_not_settled`
   */
  deleteRun(id: string, check?: Check<RunCore>): Promise<void>;
  /**
   * Changes the metadata of a run. `change` must be pure; an error that it throws refuses the change.
   * @throws EngineError `run_not_found`
   */
  updateMetadata(id: string, change: (run: RunCore) => Metadata): Promise<void>;
  /** Stores a text. It is deleted after a day unless a run was created with it. */
  createArtifact(input: NewArtifact, onCommit?: OnCommit<Artifact>): Promise<Artifact>;
  createThread(details: ThreadDetails, onCommit?: OnCommit<Thread>): Promise<Thread>;
  /**
   * Changes the title or metadata of a thread. `change` must be pure.
   * @throws EngineError `thread_not_found`
   */
  updateThread(id: string, change: (thread: Thread) => Partial<ThreadDetails>): Promise<Thread>;
  /** Deletes a thread and its runs. @throws EngineError `thread_not_found`, `thread_busy` */
  deleteThread(id: string, check?: Check<Thread>): Promise<void>;
  /** Stores an agent in version 1. @throws EngineError `invalid_model`, `unsupported_setting` */
  createAgent(definition: NewDefinition, onCommit?: OnCommit<Agent>): Promise<Agent>;
  /**
   * Makes the definition the next version of an agent. The definition that the agent has already
   * makes no version, so a repetition has no effect.
   * @throws EngineError `agent_not_found`, `invalid_model`, `unsupported_setting`
   */
  replaceAgent(id: string, definition: NewDefinition, check?: Check<Agent>): Promise<Agent>;
  /** Deletes an agent with its versions; its runs continue. @throws EngineError `agent_not_found` */
  deleteAgent(id: string, check?: Check<Agent>): Promise<void>;
  /**
   * Answers an open inbox item. Any response may have a `note`; its shape depends on the kind of
   * the item. `tool_approval`: `{action: approve | deny, arguments?, remember?}`, with arguments
   * that match the tool's schema; `sampling_approval` and `sampling_reply`: `{action: approve |
   * deny, content?}`, with the changed parts of the request or reply; `elicitation_form`: `{action:
   * accept | decline | cancel, content?}`, with content that matches the requested schema;
   * `elicitation_url`: `{action}`; `outcome_unknown`: `{action: retry | mark_done | fail}`;
   * `server_login`: `{action: retry | decline}`.
   * @throws EngineError `inbox_item_not_found`, `inbox_item_not_open`, `invalid_response`
   */
  respond(
    itemId: string,
    response: { readonly [key: string]: unknown },
    onCommit?: OnCommit<InboxItem>,
  ): Promise<InboxItem>;
  /** Continues the runs and calls that wait for a login of a server. Idempotent. */
  continueAfterLogin(server: string): Promise<void>;
  /** Deletes a remembered approval. @throws EngineError `approval_not_found` */
  forgetApproval(id: string): Promise<void>;
}

/** Takes the turns of the runs and makes their tool calls. */
export interface RunWorker {
  /**
   * Starts processing jobs. Resolves after the first sweep, which recovers a batch of the runs of
   * earlier processes; the others follow in the background.
   */
  start(): Promise<void>;
  /**
   * Stops accepting runs and waits at most `graceMs` for work in progress. The next start continues
   * the rest.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/** Commands and worker in one process. */
export interface RunEngine extends RunCommands, RunWorker {}
