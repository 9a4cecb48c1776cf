import type { CallToolResult, JsonObject } from '@signalbox/mcp-core';
import type { CallWaiting } from '../../ports/tool-catalogue.ts';
import type { CancelLevel } from '../../ports/tool-dispatcher.ts';
import type { InboxKind } from '../../ports/store/inbox.ts';
import type { Run, RunError } from '../../ports/store/run.ts';
import type { RunEvent } from '../../ports/store/run-event.ts';
import type { ModelSettingsData } from './model-settings.ts';
import type { ToolRulesData } from './tool-rules.ts';

/** Token counts as clients see them; `input` counts the whole prompt, cached parts included. */
export type UsageData = {
  readonly input: number;
  readonly cache_read: number;
  readonly cache_write: number;
  readonly output: number;
  readonly reasoning: number;
  readonly source: 'reported' | 'partial' | 'estimated';
  /** US dollars; absent without a known price. */
  readonly cost_usd?: number;
};

/**
 * Preview of a result in an event: its text, cut at 4096 characters. The whole result is in the
 * tool call.
 */
export type ResultPreview = {
  readonly text: string;
  readonly truncated: boolean;
  readonly is_error: boolean;
  /** Types of the content blocks other than text. */
  readonly other_content: readonly string[];
};

export type LimitName = 'turns' | 'tool_calls' | 'wall_clock_ms' | 'tokens' | 'cost_usd';
type LimitData = { readonly limit: LimitName; readonly used: number; readonly allowed: number };
type CallData = { readonly call_id: string; readonly attempt: number };
type TurnData = { readonly turn: number; readonly message_id: string };
type ItemData = {
  readonly inbox_item_id: string;
  readonly kind: InboxKind;
  readonly call_id: string | undefined;
};

/**
 * Possible effect of a cancelled call on its server: nothing was sent, the call only reads or may
 * be repeated, the server stopped it, or the effect is unknown.
 */
export type CancelOutcome = 'not_sent' | 'harmless' | 'stopped' | 'unknown';

/** Every event of a run by type. Data is snake_case JSON and goes to clients as it is; absent fields are left out. */
export interface RunEventTypes {
  'run.queued': {
    readonly prompt: string;
    readonly servers: readonly string[] | undefined;
    /** Absent, as the model is, for a single tool call. */
    readonly provider: string | undefined;
    readonly model: string | undefined;
    readonly scripted: boolean;
    readonly limits: JsonObject;
    /** Settings of the model calls, by their names in the API. */
    readonly model_settings: ModelSettingsData | undefined;
    readonly kind: Run['kind'];
    /** Tools that the run may use, by patterns of wire names. */
    readonly tools?: ToolRulesData['tools'];
    readonly approvals?: ToolRulesData['approvals'];
    readonly thread_id: string | undefined;
    readonly agent_id: string | undefined;
    readonly agent_version: number | undefined;
    readonly forked_from: { readonly run_id: string; readonly turn: number } | undefined;
  };
  'run.started': {
    /** Absent, as the model is, for a single tool call. */
    readonly provider: string | undefined;
    readonly model: string | undefined;
    /** Whether scripts answer in place of a model. */
    readonly scripted: boolean;
    readonly notice: string | undefined;
  };
  'run.input_required': { readonly inbox_item_ids: readonly string[] };
  /** `requested`: an ended run continues; its error and answer are void. */
  'run.resumed': { readonly reason: 'inbox_closed' | 'process_restarted' | 'requested' };
  'run.cancelling': { readonly reason: string | undefined };
  /** `output` is the answer as a JSON value, for a run with an output schema. */
  'run.completed': {
    readonly answer: string;
    readonly output: unknown;
    readonly scripted: boolean;
  };
  /** `answer` is the text that the run had so far. */
  'run.failed': { readonly error: RunError; readonly answer: string | undefined };
  'run.cancelled': { readonly reason: string | undefined; readonly answer: string | undefined };
  'run.expired': { readonly error: RunError; readonly answer: string | undefined };

  /** `attempt` counts the attempts of the turn since the model last answered, from 1. */
  'turn.started': TurnData & {
    readonly provider: string;
    readonly model: string;
    readonly attempt: number;
  };
  'turn.completed': TurnData & { readonly stop_reason: string };
  /**
   * The model call is repeated in a new attempt with another message id; the text of this attempt
   * is void.
   */
  'turn.interrupted': TurnData & { readonly reason: 'process_ended' | 'shutdown' };
  /** The answer does not match the output schema of the run; the model is asked once more. */
  'turn.output_rejected': TurnData & { readonly problems: readonly string[] };
  /**
   * With `retryable` the run continues: the model call is repeated at `next_attempt_at` in a new
   * attempt with another message id, and the text of this attempt is void. Without it the run has
   * failed, and `message.completed` has the text received until then.
   */
  'turn.failed': TurnData & {
    readonly error: RunError;
    readonly retryable: boolean;
    readonly attempt?: number;
    /** UTC, ISO 8601. */
    readonly next_attempt_at?: string;
  };
  'turn.cancelled': TurnData;

  'message.started': TurnData & { readonly role: 'assistant' };
  'message.completed': TurnData & {
    readonly role: 'assistant';
    readonly text: string;
    readonly tool_uses: readonly {
      readonly id: string;
      readonly name: string;
      readonly input: JsonObject;
    }[];
    /** True when the model call ended before its message was complete. */
    readonly is_partial: boolean;
  };

  'tool_call.planned': {
    readonly call_id: string;
    readonly turn: number;
    readonly position: number;
    readonly tool_use_id: string;
    readonly name: string;
    /** Absent for tools of the service itself and for unknown tools. */
    readonly server: string | undefined;
    readonly tool: string;
    readonly arguments: JsonObject;
    readonly state: 'planned' | 'awaiting_approval';
    readonly repeatable: boolean;
    /**
     * Decision by the configuration or an earlier approval; absent for a call that cannot be made.
     */
    readonly decision?: 'auto' | 'remembered' | 'ask' | 'deny' | undefined;
  };
  /** A planned call waits for approval again; the reason says what has changed. */
  'tool_call.approval_required': CallData & { readonly reason: string };
  'tool_call.approved': CallData & {
    /** Whether the person changed the arguments; they are then given. */
    readonly is_edited: boolean;
    readonly arguments: JsonObject | undefined;
    readonly remember: 'call' | 'run' | 'thread';
    readonly remembered_approval_id: string | undefined;
  };
  'tool_call.dispatched': CallData & { readonly server: string; readonly tool: string };
  /**
   * The call waits for a connection to its server, or one of the server's input requests is held.
   * It continues by itself.
   */
  'tool_call.waiting': CallData & {
    readonly reason: CallWaiting['reason'];
    readonly message: string;
  };
  /** The server continues the call as a task, which can outlive this process. */
  'tool_call.working': CallData & { readonly task_id: string };
  /** Progress as the server sent it; a message is cut at 4096 characters. */
  'tool_call.progress': CallData & {
    readonly progress: number;
    readonly total: number | undefined;
    readonly message: string | undefined;
  };
  'tool_call.input_required': CallData & { readonly inbox_item_id: string };
  /** No input request of the call is open any more. */
  'tool_call.resumed': CallData;
  'tool_call.retrying': CallData & {
    readonly reason:
      | 'not_sent'
      | 'connection_lost'
      | 'process_ended'
      | 'requested'
      | 'login_required'
      | 'logged_in';
    readonly message: string | undefined;
    readonly delay_ms: number;
  };
  'tool_call.completed': CallData & { readonly result: ResultPreview };
  'tool_call.failed': CallData & { readonly message: string; readonly result: ResultPreview };
  'tool_call.cancelled': CallData & {
    readonly cancel: CancelLevel | undefined;
    readonly outcome: CancelOutcome;
  };
  'tool_call.outcome_unknown': CallData & { readonly message: string };

  'inbox.opened': ItemData & { readonly request: JsonObject; readonly expires_at: string };
  'inbox.answered': ItemData & { readonly response: JsonObject };
  'inbox.delivered': ItemData;
  /** The server reports that the person has finished at the URL. */
  'inbox.completed': ItemData;
  'inbox.void': ItemData & {
    readonly reason: 'withdrawn' | 'call_ended' | 'run_ended' | 'process_ended';
  };
  'inbox.expired': ItemData;

  'limit.warning': LimitData;
  'limit.exceeded': LimitData;
  'usage.updated': {
    /** `server`: a server's sampling request, charged to the run. */
    readonly source: 'agent' | 'server';
    readonly server: string | undefined;
    readonly call_id: string | undefined;
    readonly model: string;
    readonly usage: UsageData;
    readonly total: UsageData;
  };
}

export type RunEventType = keyof RunEventTypes;
export type RunEventBody = {
  [T in RunEventType]: { readonly type: T; readonly data: RunEventTypes[T] };
}[RunEventType];

/** Returns the typed view of a stored event. The engine writes no other events. */
export function eventBody(event: Pick<RunEvent, 'type' | 'data'>): RunEventBody {
  return event as unknown as RunEventBody;
}

const PREVIEW_CHARACTERS = 4096;

/** Maximum number of blocks other than text that a preview names. */
const MAX_OTHER_CONTENT = 100;

export function previewOf(result: CallToolResult): ResultPreview {
  const text = result.content
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('\n');
  return {
    text: text.slice(0, PREVIEW_CHARACTERS),
    truncated: text.length > PREVIEW_CHARACTERS,
    is_error: result.isError === true,
    other_content: result.content
      .flatMap((block) => (block.type === 'text' ? [] : [block.type]))
      .slice(0, MAX_OTHER_CONTENT),
  };
}
