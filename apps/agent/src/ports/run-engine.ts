import type { JsonObject } from '@signalbox/mcp-core';
import type { InboxItem, Run, RunTransaction, ToolCall } from './run-store.ts';
import type { Metadata } from './thread-store.ts';

export interface NewRun {
  readonly prompt: string;
  readonly servers?: readonly string[];
  readonly model?: string;
  readonly limits?: Partial<Run['limits']>;
  /** Added to the instructions of every run. */
  readonly instructions?: string;
  /** A stored agent, whose fields count where the run has none of its own. */
  readonly agentId?: string;
  readonly threadId?: string;
  /** While a run of the thread is not settled: refuse, wait for it, or cancel it and go on when it has ended. Default `reject`. */
  readonly onBusy?: 'reject' | 'enqueue' | 'interrupt';
  readonly metadata?: Metadata;
  /** A JSON Schema for an object that the answer must fit. */
  readonly outputSchema?: JsonObject;
}

/** One tool call without a model. */
export interface NewCall {
  readonly wireName: string;
  readonly arguments: JsonObject;
  readonly limits?: Partial<Run['limits']>;
  readonly metadata?: Metadata;
}

/** A run and its only call. */
export interface CallRun {
  readonly run: Run;
  readonly call: ToolCall;
}

/** A fork of a run. Fields that are not given are those of the run; limits one by one. */
export interface Fork extends Pick<
  NewRun,
  'servers' | 'model' | 'limits' | 'instructions' | 'metadata' | 'outputSchema'
> {
  /** The last turn that is kept; 0 keeps the prompt alone. Default the last one whose calls have ended. */
  readonly atTurn?: number;
  /** What the user says next; at turn 0 in place of the prompt. */
  readonly prompt?: string;
}

/** Stores what the caller keeps of an effect in the transaction of the effect. */
export type Receipt<T> = (transaction: RunTransaction, result: T) => Promise<void>;

/** Refused by the engine; `http/problem.ts` maps the code to a status. */
export class EngineError extends Error {
  readonly code:
    | 'run_not_found'
    | 'run_not_settled'
    | 'run_not_resumable'
    | 'invalid_fork'
    | 'thread_not_found'
    | 'thread_busy'
    | 'too_many_runs'
    | 'agent_not_found'
    | 'tool_not_found'
    | 'tool_quarantined'
    | 'tool_call_not_found'
    | 'invalid_arguments'
    | 'invalid_output_schema'
    | 'unknown_price'
    | 'unknown_agent'
    | 'unknown_thread'
    | 'unknown_server'
    | 'inbox_item_not_found'
    | 'inbox_item_not_open'
    | 'approval_not_found'
    | 'invalid_response'
    | 'shutting_down';

  /** What is wrong with which field of the input; the path is a JSON pointer into it. */
  readonly problems: readonly { readonly path: string; readonly message: string }[] | undefined;

  constructor(code: EngineError['code'], message: string, problems?: EngineError['problems']) {
    super(message);
    this.name = 'EngineError';
    this.code = code;
    this.problems = problems;
  }
}

/** What the edge may ask of the engine; everything else it reads from the store. */
export interface RunEngine {
  /** Resolves when the run is committed: from then on it reaches a terminal, visible state whatever dies. @throws EngineError `unknown_server`, `invalid_output_schema`, `unknown_agent`, `unknown_thread`, `thread_busy`, `too_many_runs` */
  createRun(input: NewRun, receipt?: Receipt<Run>): Promise<Run>;
  /** Makes one tool call, with the approvals and limits of any other, as a run of its own. @throws EngineError `tool_not_found`, `tool_quarantined`, `invalid_arguments` */
  startCall(input: NewCall, receipt?: Receipt<CallRun>): Promise<CallRun>;
  /** Begins a new run with a copy of what was said in another up to the end of a turn. @throws EngineError `run_not_found`, `invalid_fork`, `unknown_server`, `invalid_output_schema`, `unknown_price` */
  forkRun(id: string, fork: Fork, receipt?: Receipt<Run>): Promise<Run>;
  /** Idempotent; a settled run is returned as it is. @throws EngineError `run_not_found` */
  cancelRun(id: string, reason?: string, receipt?: Receipt<Run>): Promise<Run>;
  /**
   * Continues a run that failed or expired with its next model call, with a new wall clock and with `limits` in place of those it had; no tool call is
   * repeated. @throws EngineError `run_not_found`, `run_not_resumable`
   */
  resumeRun(id: string, limits?: Partial<Run['limits']>, receipt?: Receipt<Run>): Promise<Run>;
  /** Cancels one call and nothing else of its run; one that has ended is returned as it is. @throws EngineError `run_not_found`, `tool_call_not_found` */
  cancelCall(call: Pick<ToolCall, 'runId' | 'id'>, receipt?: Receipt<ToolCall>): Promise<ToolCall>;
  /** Erases everything of a settled run but the audit. @throws EngineError `run_not_found`, `run_not_settled` */
  deleteRun(id: string): Promise<void>;
  /** Erases a thread and its runs. @throws EngineError `thread_not_found`, `thread_busy` */
  deleteThread(id: string): Promise<void>;
  /**
   * Answers an open inbox item; any answer may have a `note`. The shape depends on the item's kind: `tool_approval`: `{action: approve | deny,
   * arguments?, remember?}`, arguments checked against the tool's schema; `sampling_approval`, `sampling_reply`: `{action: approve | deny, content?}`
   * with what a person changed of the request or the reply; `elicitation_form`: `{action: accept | decline | cancel, content?}`, content checked against
   * the requested schema; `elicitation_url`: `{action}`; `outcome_unknown`: `{action: retry | mark_done | fail}`.
   * @throws EngineError `inbox_item_not_found`, `inbox_item_not_open`, `invalid_response`
   */
  respond(
    itemId: string,
    response: { readonly [key: string]: unknown },
    receipt?: Receipt<InboxItem>,
  ): Promise<InboxItem>;
  /** From here on calls that a person approved with an earlier one are asked about again. @throws EngineError `approval_not_found` */
  forgetApproval(id: string): Promise<void>;
  /** Settles or continues what an earlier process left, then takes work. */
  start(): Promise<void>;
  /** Takes no more runs, waits for nothing longer than `graceMs`, leaves the rest to the next start. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}
