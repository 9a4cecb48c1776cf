import type { CallToolResult, JsonObject } from '@signalbox/mcp-core';
import type { CancelLevel } from '../tool-dispatcher.ts';

/** Every state of a tool call. */
export const TOOL_CALL_STATES = [
  'planned',
  'awaiting_approval',
  'dispatched',
  'input_required',
  'working',
  'succeeded',
  'failed',
  'cancelled',
  'unknown',
] as const;
export type ToolCallState = (typeof TOOL_CALL_STATES)[number];

/** States in which a call can still change by itself or by an approval. */
export const OPEN_CALL_STATES: readonly ToolCallState[] = [
  'planned',
  'awaiting_approval',
  'dispatched',
  'input_required',
  'working',
];

/** States of a call that was sent and has not ended. */
export const SENT_CALL_STATES: readonly ToolCallState[] = [
  'dispatched',
  'input_required',
  'working',
];

/** Input requests with which a modern server answered a call. Any process can continue the call from this record. */
export interface ParkedRound {
  /** Round of the call, from 1. */
  readonly round: number;
  /** Input requests by the server's keys. */
  readonly inputRequests: JsonObject;
  /** Opaque state, returned to the server unchanged. */
  readonly requestState?: string;
}

/** A row of the tool-call ledger. The row is committed before the call is sent. */
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
  /** The model's arguments, when a person changed them. */
  readonly modelArguments: JsonObject | undefined;
  readonly state: ToolCallState;
  readonly attempt: number;
  /** Id of the worker that sent the current attempt, or that continues it. */
  readonly owner: string | undefined;
  readonly idempotencyKey: string;
  /**
   * Whether the call may be sent again after a crash: the tool of a trusted server is read-only, or
   * idempotent and not destructive.
   */
  readonly repeatable: boolean;
  readonly result: CallToolResult | undefined;
  /** Why the call failed or its outcome is unknown; of a call that is sent again, how its answer was lost. */
  readonly error: string | undefined;
  readonly cancel: CancelLevel | undefined;
  /** Time of a client's request to cancel this call alone. */
  readonly cancelRequestedAt: number | undefined;
  /** Present from a modern server's input requests until the call is sent again with the responses. */
  readonly parked: ParkedRound | undefined;
  /** Server's id of the task that the call became. */
  readonly taskId: string | undefined;
  /** Number of times that a worker failed to send or to continue the call. */
  readonly failures: number;
  /** Time from which a planned or parked call may be sent. Default: at once. */
  readonly dueAt: number | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  /**
   * Time at which the current attempt was sent. Undefined for a call that was never sent, that an
   * earlier version sent, or whose outcome was unknown.
   */
  readonly sentAt: number | undefined;
  readonly finishedAt: number | undefined;
}

/** Fields of a tool call that may change. A key that is present with the value `undefined` clears the field. */
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
    | 'failures'
    | 'dueAt'
    | 'sentAt'
    | 'finishedAt'
  >
>;

export interface ToolCallReader {
  toolCall(id: string): Promise<ToolCall | undefined>;
  /** Returns the id of the run of a call without reading columns that can be damaged. */
  runOfCall(id: string): Promise<string | undefined>;
  /** Returns the tool and the arguments of a call, without its result. */
  callTarget(id: string): Promise<Pick<ToolCall, 'server' | 'tool' | 'arguments'> | undefined>;
  /** Returns the calls of a run in order of turn and position, optionally of one turn or with some states only. */
  toolCalls(
    runId: string,
    filter?: { readonly turn?: number; readonly state?: readonly ToolCallState[] },
  ): Promise<readonly ToolCall[]>;
}

export interface ToolCallWriter {
  insertToolCall(call: ToolCall): Promise<void>;
  /**
   * Applies the patch if the row still has an expected state, attempt and owner. Returns whether it
   * did, so late writes of an older attempt and of a former owner are refused.
   */
  updateToolCall(
    id: string,
    expected: {
      readonly state: readonly ToolCallState[];
      readonly attempt?: number;
      /** Null: no owner. */
      readonly owner?: string | null;
    },
    patch: ToolCallPatch,
  ): Promise<boolean>;
}
