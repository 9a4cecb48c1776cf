import type { JsonObject } from '@signalbox/mcp-core';
import * as z from 'zod';
import type { RunEventType } from '../run/core/events.ts';
import { waitingFields } from './call-response-schemas.ts';
import { InboxKind, inboxRequestVariants, StoredInboxResponse } from './inbox-response-schemas.ts';
import { RunErrorDetails, RunLimits, Usage } from './run-response-schemas.ts';
import { time } from './response-schemas.ts';
import { json } from './schemas.ts';
import { setSettings } from './setting-response-schemas.ts';
import { setToolRules } from './tool-rule-response-schemas.ts';

const call = {
  call_id: z.string(),
  attempt: z.int().describe('0 before the first dispatch, then 1, 2, 3…'),
};
const turn = { turn: z.int().describe('1, 2, 3… within the run'), message_id: z.string() };
const item = { inbox_item_id: z.string(), kind: InboxKind, call_id: z.string().optional() };
const limit = z.object({
  limit: z.enum(['turns', 'tool_calls', 'wall_clock_ms', 'tokens', 'cost_usd']),
  used: z.number(),
  allowed: z.number(),
});
const preview = z
  .object({
    text: z.string().describe('At most 4096 characters; the tool call has the whole result'),
    truncated: z.boolean(),
    is_error: z.boolean(),
    other_content: z.array(z.string()).describe('Types of the content blocks other than text'),
  })
  .meta({ id: 'ResultPreview' });
const partialAnswer = z.string().optional().describe('Text that the run had produced so far');

/** Schema of each event type's `data`, and when the event is emitted. */
export const EVENT_DATA = {
  'run.queued': z
    .object({
      prompt: z.string(),
      servers: z.array(z.string()).optional(),
      provider: z.string().optional().describe('Absent for kind call'),
      model: z.string().optional().describe('Absent for kind call'),
      scripted: z.boolean(),
      limits: RunLimits,
      model_settings: z
        .object(setSettings)
        .optional()
        .describe('Settings of the model calls; absent without any'),
      ...setToolRules,
      kind: z.enum(['agent', 'call']),
      thread_id: z.string().optional(),
      agent_id: z.string().optional(),
      agent_version: z.int().optional(),
      forked_from: z.object({ run_id: z.string(), turn: z.int() }).optional(),
    })
    .describe('The run is stored. Always the first event'),
  'run.started': z
    .object({
      provider: z.string().optional(),
      model: z.string().optional(),
      scripted: z.boolean(),
      notice: z.string().optional(),
    })
    .describe('A worker started the run'),
  'run.input_required': z
    .object({ inbox_item_ids: z.array(z.string()).describe('The open inbox items') })
    .describe('The run cannot continue before a person responds'),
  'run.resumed': z
    .object({
      reason: z
        .enum(['inbox_closed', 'process_restarted', 'requested'])
        .describe('requested: the run had ended, and its earlier error and answer are void'),
    })
    .describe('The run is running again'),
  'run.cancelling': z
    .object({ reason: z.string().optional() })
    .describe('Cancellation was requested; the run waits until its calls have ended'),
  'run.completed': z
    .object({
      answer: z.string(),
      output: z
        .unknown()
        .optional()
        .describe('The answer as a value that conforms to output_schema'),
      scripted: z.boolean(),
    })
    .describe('The run has an answer. Last event'),
  'run.failed': z
    .object({ error: RunErrorDetails, answer: partialAnswer })
    .describe('The run failed. Last event unless the run is resumed'),
  'run.cancelled': z
    .object({ reason: z.string().optional(), answer: partialAnswer })
    .describe('The run was cancelled and all its calls ended. Last event'),
  'run.expired': z
    .object({ error: RunErrorDetails, answer: partialAnswer })
    .describe('The wall clock limit ended the run. Last event unless the run is resumed'),

  'turn.started': z
    .object({
      ...turn,
      provider: z.string().optional().describe('Absent in events of earlier versions'),
      model: z.string(),
      attempt: z.int().describe('Attempts of the turn since the last answer of the model, from 1'),
    })
    .describe('A model call started'),
  'turn.completed': z
    .object({ ...turn, stop_reason: z.string() })
    .describe('A model call ended and its message is complete'),
  'turn.interrupted': z
    .object({ ...turn, reason: z.enum(['process_ended', 'shutdown']) })
    .describe('The model is called again with a new message_id; discard the text of this message'),
  'turn.output_rejected': z
    .object({ ...turn, problems: z.array(z.string()) })
    .describe('The answer does not conform to output_schema; the model gets one repair attempt'),
  'turn.failed': z
    .object({
      ...turn,
      error: RunErrorDetails,
      retryable: z
        .boolean()
        .describe(
          'Whether the same turn begins again with a new message_id; discard the text of this message',
        ),
      attempt: z.int().optional().describe('Consecutive failed attempts, when retryable'),
      next_attempt_at: time.optional().describe('Time of the next attempt, when retryable'),
    })
    .describe(
      'A model call failed, `attempt` times in a row. If it is `retryable`, the run waits, and the turn has its next attempt at `next_attempt_at`. Otherwise the run fails',
    ),
  'turn.cancelled': z.object(turn).describe('A model call was cancelled'),

  'message.started': z
    .object({ ...turn, role: z.literal('assistant') })
    .describe('The first part of a message arrived'),
  'message.completed': z
    .object({
      ...turn,
      role: z.literal('assistant'),
      text: z.string(),
      tool_uses: z.array(z.object({ id: z.string(), name: z.string(), input: json })),
      is_partial: z
        .boolean()
        .describe('Whether the model call ended before the message was complete'),
    })
    .describe('The whole message; it replaces the text of its message.delta frames'),

  'tool_call.planned': z
    .object({
      call_id: z.string(),
      turn: z.int(),
      position: z.int().describe('Position among the calls of the turn'),
      tool_use_id: z.string().describe("Id of the call in the model's message"),
      name: z.string().describe('The wire name, server__tool'),
      server: z
        .string()
        .optional()
        .describe('Absent for tools of the service itself and for unknown tools'),
      tool: z.string(),
      arguments: json,
      state: z.enum(['planned', 'awaiting_approval']),
      repeatable: z.boolean().describe('Whether the call may be sent again after a crash'),
      decision: z
        .enum(['auto', 'remembered', 'ask', 'deny'])
        .optional()
        .describe('Decision of the approval policy'),
    })
    .describe('The call was stored, but not yet sent'),
  'tool_call.approval_required': z
    .object({ ...call, reason: z.string() })
    .describe('The call needs a new approval because it changed since the last approval'),
  'tool_call.approved': z
    .object({
      ...call,
      is_edited: z.boolean(),
      arguments: json.optional().describe('Arguments after an edit'),
      remember: z.enum(['call', 'run', 'thread']),
      remembered_approval_id: z.string().optional(),
    })
    .describe('A person approved the call'),
  'tool_call.dispatched': z
    .object({ ...call, server: z.string().optional(), tool: z.string().optional() })
    .describe('The call is being sent to the server'),
  'tool_call.waiting': z
    .object({
      ...call,
      reason: waitingFields.reason,
      message: waitingFields.message,
    })
    .describe(
      'The call waits for a connection to its server or for its turn in the rate limit of the server (this attempt was not sent), or for an input request that cannot yet be assigned to a call. It continues without action',
    ),
  'tool_call.working': z
    .object({ ...call, task_id: z.string() })
    .describe('The server runs the call as a task'),
  'tool_call.progress': z
    .object({
      ...call,
      progress: z.number(),
      total: z.number().optional(),
      message: z.string().optional(),
    })
    .describe('Progress as the server reported it, at most 4 events a second'),
  'tool_call.input_required': z
    .object({ ...call, inbox_item_id: z.string() })
    .describe('The server sent an input request during the call'),
  'tool_call.resumed': z.object(call).describe('All input requests of the call were answered'),
  'tool_call.retrying': z
    .object({
      ...call,
      reason: z
        .enum([
          'not_sent',
          'connection_lost',
          'process_ended',
          'requested',
          'login_required',
          'logged_in',
        ])
        .describe(
          'login_required: the call is sent when a person has logged in to the server, within delay_ms; logged_in: a person has logged in',
        ),
      message: z.string().optional(),
      delay_ms: z.number(),
    })
    .describe('The call is planned again under the same idempotency key'),
  'tool_call.completed': z.object({ ...call, result: preview }).describe('The call succeeded'),
  'tool_call.failed': z
    .object({ ...call, message: z.string(), result: preview })
    .describe('The call failed or was refused'),
  'tool_call.cancelled': z
    .object({
      ...call,
      cancel: z
        .enum(['sent', 'delivered', 'confirmed', 'failed'])
        .optional()
        .describe('Progress of the cancellation'),
      outcome: z
        .enum(['not_sent', 'harmless', 'stopped', 'unknown'])
        .describe('Whether the tool may have had an effect'),
    })
    .describe('The call was cancelled'),
  'tool_call.outcome_unknown': z
    .object({ ...call, message: z.string() })
    .describe('The call was sent and its result was lost; a person decides'),

  'inbox.opened': z
    .discriminatedUnion(
      'kind',
      inboxRequestVariants({
        inbox_item_id: z.string(),
        call_id: z.string().optional(),
        expires_at: time,
      }),
    )
    .describe('A request for input from a person was opened'),
  'inbox.answered': z
    .object({ ...item, response: StoredInboxResponse })
    .describe('A person responded'),
  'inbox.delivered': z
    .object(item)
    .describe('The response was delivered to the call or to the engine'),
  'inbox.completed': z
    .object(item)
    .describe('The server reported that an elicitation by URL is complete'),
  'inbox.void': z
    .object({ ...item, reason: z.enum(['withdrawn', 'call_ended', 'run_ended', 'process_ended']) })
    .describe('The item was closed because a response is no longer needed'),
  'inbox.expired': z.object(item).describe('The item expired without a response'),

  'limit.warning': limit.describe('80 % of a limit was reached'),
  'limit.exceeded': limit.describe('A limit was reached'),
  'usage.updated': z
    .object({
      source: z
        .enum(['agent', 'server'])
        .describe('server: a sampling request of an MCP server, charged to the run'),
      server: z.string().optional(),
      call_id: z.string().optional(),
      model: z.string(),
      usage: Usage,
      total: Usage.describe('Totals of the run so far'),
    })
    .describe('Tokens and cost of one model call'),
} satisfies { readonly [T in RunEventType]: z.ZodType };

export interface RunEventBody {
  readonly run_id: string;
  readonly seq: number;
  readonly type: string;
  readonly version: number;
  readonly at: string;
  readonly data: JsonObject;
}

/** Schemas, one for each event type, discriminated by `type`. */
export const RUN_EVENT_VARIANTS = (Object.entries(EVENT_DATA) as [RunEventType, z.ZodType][]).map(
  ([type, data]) =>
    z
      .object({
        run_id: z.string(),
        seq: z.int().describe('1, 2, 3… within the run; also the id of the server-sent event'),
        type: z.literal(type),
        version: z.int().describe('Version of the shape of `data`'),
        at: time,
        data,
      })
      .meta({
        id: `${componentName(type)}Event`,
        ...(data.description === undefined ? {} : { description: data.description }),
      }),
);

export const RunEvent = z
  .discriminatedUnion(
    'type',
    RUN_EVENT_VARIANTS as [(typeof RUN_EVENT_VARIANTS)[number], ...typeof RUN_EVENT_VARIANTS],
  )
  .describe('A stored event of a run. Clients must ignore unknown types and fields')
  .meta({ id: 'RunEvent' }) as unknown as z.ZodType<RunEventBody, RunEventBody>;

export const RunEventPage = z
  .object({
    data: z.array(RunEvent),
    last_seq: z.int(),
    next_cursor: z.string().optional().describe('Pass as `cursor` for the next page'),
  })
  .meta({ id: 'RunEventPage' });

/** Returns the component name of an event type: `ToolCallPlanned` for `tool_call.planned`. */
export function componentName(type: string): string {
  return type
    .split(/[._]/)
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join('');
}
