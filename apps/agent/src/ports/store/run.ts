import type { JsonObject } from '@signalbox/mcp-core';
import type { Usage } from '../llm-provider.ts';
import type { ModelSettings } from '../model-settings.ts';
import type { Metadata } from '../metadata.ts';
import type { Priority } from '../priority.ts';
import type { ToolRules } from '../tool-rules.ts';
import type { TraceContext } from '../traces.ts';

/** Every status of a run; the last four are terminal. */
export const RUN_STATUSES = [
  'queued',
  'running',
  'input_required',
  'cancelling',
  'completed',
  'failed',
  'cancelled',
  'expired',
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** The terminal statuses. */
export const SETTLED_STATUSES = [
  'completed',
  'failed',
  'cancelled',
  'expired',
] as const satisfies readonly RunStatus[];
export type SettledStatus = (typeof SETTLED_STATUSES)[number];

/** The statuses of a run that has not ended. */
export const UNSETTLED_STATUSES: readonly RunStatus[] = RUN_STATUSES.filter(
  (status) => !isSettled({ status }),
);

/** Returns whether the status of the run is terminal. */
export function isSettled(run: { readonly status: RunStatus }): boolean {
  return SETTLED_STATUSES.some((status) => status === run.status);
}

/** Status reason of a run that was cancelled for a later run of its thread. */
export const SUPERSEDED = 'superseded';

/** Limits of one run. All times are milliseconds. */
export interface RunLimits {
  readonly turns: number;
  readonly toolCalls: number;
  readonly wallClockMs: number;
  readonly callInactivityMs: number;
  readonly callMaxMs: number;
  readonly inboxExpiryMs: number;
  /** Input and output tokens of all model calls, including sampling for servers. Default: no limit. */
  readonly tokens?: number;
  /** Cost in US dollars of all model calls, including sampling for servers. Default: no limit. */
  readonly costUsd?: number;
  /** Output tokens of one model message, including thinking. Default: the model's maximum. */
  readonly outputTokens?: number;
  /** Duration of one outage of the model after which the run fails. Default: the wall clock limit. */
  readonly modelOutageMs?: number;
}

export interface RunError {
  /** Stable snake_case code. */
  readonly code: string;
  readonly message: string;
}

/** Consecutive failures of a model call that will be retried. Times are milliseconds since the Unix epoch. */
export interface ModelOutage {
  /** Time of the first failure. */
  readonly since: number;
  /** Consecutive failed attempts. */
  readonly attempts: number;
  readonly nextAttemptAt: number;
  /** Reason of the last failure. */
  readonly error: RunError;
}

/** A stored run. Times are milliseconds since the Unix epoch. */
export interface Run {
  readonly id: string;
  /** `agent`: a model runs the prompt; `call`: one tool call requested by a client, without a model. */
  readonly kind: 'agent' | 'call';
  readonly status: RunStatus;
  readonly statusReason: string | undefined;
  readonly priority: Priority;
  /** Name of the API key that created the run. */
  readonly apiKey: string;
  readonly prompt: string;
  /** Servers whose tools the run may use. Undefined: all servers. */
  readonly servers: readonly string[] | undefined;
  readonly provider: string;
  readonly model: string;
  readonly scripted: boolean;
  readonly limits: RunLimits;
  /** Settings of the model calls. Undefined: the model's defaults. */
  readonly modelSettings: ModelSettings | undefined;
  /** Tools that the run may use, and the approval of their calls. Undefined: no rules. */
  readonly toolRules: ToolRules | undefined;
  /** Thread of the run, when it belongs to a thread. */
  readonly threadId: string | undefined;
  /** Zero-based position among the runs of the thread. */
  readonly threadPosition: number | undefined;
  /** Stored agent that the run was created from. The run keeps its own copy of the agent's fields. */
  readonly agentId: string | undefined;
  /** Version of the agent that was copied. Undefined for a run that is older than the versions. */
  readonly agentVersion: number | undefined;
  /** Instructions of the agent or the request, added to the system prompt. */
  readonly instructions: string | undefined;
  readonly metadata: Metadata;
  /** Span of the client that requested the run last, when traces are on and the request named one. */
  readonly traceContext: TraceContext | undefined;
  /** Source run of a fork, and the last turn that was copied from it. */
  readonly forkedFrom: { readonly runId: string; readonly turn: number } | undefined;
  readonly lastSeq: number;
  readonly turns: number;
  readonly toolCalls: number;
  readonly usage: Usage | undefined;
  readonly answer: string | undefined;
  /** JSON Schema that the answer, parsed as JSON, must match. */
  readonly outputSchema: JsonObject | undefined;
  /** The parsed answer, when it matches `outputSchema`. */
  readonly output: unknown;
  /** Turn whose answer did not match `outputSchema` and was requested again. */
  readonly repairedTurn: number | undefined;
  /** Consecutive model messages that were truncated within the arguments of a tool call. */
  readonly cutTurns: number;
  readonly error: RunError | undefined;
  /** Present from the first failed attempt of a model call until the model answers. */
  readonly modelOutage: ModelOutage | undefined;
  /**
   * Time at which the next attempt of the model call is due, until a process claims the attempt.
   * Only a running run has one.
   */
  readonly retryAt: number | undefined;
  /**
   * Time at which the wall clock needs attention: its warning, then its end. Only a running run has
   * one.
   */
  readonly deadlineAt: number | undefined;
  /**
   * Milliseconds excluded from the wall-clock limit: completed waits in `input_required`, and the
   * time before the run was resumed by a client.
   */
  readonly waitedMs: number;
  /** Start of the current wait, which `waitedMs` does not include yet. */
  readonly waitingSince: number | undefined;
  readonly createdAt: number;
  readonly startedAt: number | undefined;
  readonly finishedAt: number | undefined;
}

/** Fields of a run that may change. A key that is present with the value `undefined` clears the field. */
export type RunPatch = Partial<
  Pick<
    Run,
    | 'metadata'
    | 'traceContext'
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
    | 'retryAt'
    | 'deadlineAt'
    | 'waitedMs'
    | 'waitingSince'
    | 'startedAt'
    | 'finishedAt'
  >
>;

export interface RunReader {
  run(id: string): Promise<Run | undefined>;
  /** Returns the number of runs with each status, without the statuses that no run has. */
  runCounts(): Promise<ReadonlyMap<RunStatus, number>>;
  /** Returns the number of agent runs of an API key that are `running` or `cancelling`. */
  runsInProgress(apiKey: string): Promise<number>;
  /**
   * Returns the creation time of the `nth` latest run of an API key, 1 for the latest. Undefined
   * unless that is after `since`. Deleted runs do not count.
   */
  createdAtOfLatest(
    apiKey: string,
    options: { readonly nth: number; readonly since: number },
  ): Promise<number | undefined>;
  /** Returns the runs of a thread that have not ended, oldest first. */
  unsettledRuns(filter: { readonly threadId: string }): Promise<readonly RunCore[]>;
}

/** Runs that an admission limit counts. */
export interface AdmissionFilter {
  readonly status: RunStatus;
  readonly kind?: Run['kind'];
}

export interface RunWriter {
  /**
   * Makes other transactions that lock the API key wait until this one has ended, so that what it
   * counts of the runs of the key stays true.
   */
  lockApiKey(apiKey: string): Promise<void>;
  /**
   * Counts runs before one more is inserted in the same transaction. Below `limit` the count may lack
   * runs of transactions in progress, but never so many that the limit could be exceeded: near it,
   * transactions that count the same runs wait for each other.
   */
  countRunsToAdmit(filter: AdmissionFilter, limit: number): Promise<number>;
  insertRun(run: Run): Promise<void>;
  /** Returns the position of the next run of a thread. */
  nextThreadPosition(threadId: string): Promise<number>;
  updateRun(id: string, patch: RunPatch): Promise<void>;
  /** Increments the number of sampling requests of the server in the run and returns it. */
  countSampling(runId: string, server: string): Promise<number>;
}

/** A run without its long texts and values. */
export type RunCore = Omit<Run, 'prompt' | 'instructions' | 'answer' | 'outputSchema' | 'output'>;
