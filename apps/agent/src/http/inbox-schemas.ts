import type { JsonObject } from '@signalbox/mcp-core';
import { z } from 'zod';
import { json, time } from './schemas.ts';

export const InboxKind = z.enum(['tool_approval', 'elicitation_form', 'elicitation_url', 'sampling_approval', 'sampling_reply', 'outcome_unknown']);
const InboxState = z.enum(['open', 'answered', 'delivered', 'void', 'expired']);
const InboxAction = z.enum(['approve', 'deny', 'accept', 'decline', 'cancel', 'retry', 'mark_done', 'fail']);
const Remember = z.enum(['call', 'run', 'thread']);

const about = {
  server: z.string().describe('The MCP server whose call needs a person'),
  tool: z.string(),
  name: z.string().describe('The wire name, server__tool'),
};

/** The `request` of an inbox item by its kind. */
export const INBOX_REQUESTS = {
  tool_approval: z
    .object({
      ...about,
      arguments: json,
      model_arguments: json.optional().describe('The arguments that the model asked for, where a person changed them'),
      description: z.string(),
      annotations: json,
      trusted: z.boolean().describe('Whether the configuration trusts the annotations of this server'),
      remember: z.array(Remember).describe('The scopes that an approval may have'),
      reason: z.string().optional().describe('Why an approved call needs an approval again'),
    })
    .describe('Answer with approve or deny')
    .meta({ id: 'ToolApprovalRequest' }),
  elicitation_form: z
    .object({ ...about, message: z.string(), requested_schema: json.describe('A JSON Schema for a flat object') })
    .describe('A form of the server. Answer with accept and content, decline, or cancel')
    .meta({ id: 'ElicitationFormRequest' }),
  elicitation_url: z
    .object({
      ...about,
      message: z.string(),
      url: z.string(),
      host: z.string(),
      warnings: z.array(z.string()).describe('Suspicious properties of the address'),
      elicitation_id: z.string().optional(),
      is_completed: z.boolean().optional().describe('True once the server reports that the page is done'),
    })
    .describe('A page that the person opens in a browser. Answer with accept, decline or cancel')
    .meta({ id: 'ElicitationUrlRequest' }),
  sampling_approval: z
    .object({
      ...about,
      messages: z.array(json).describe('MCP sampling messages'),
      system_prompt: z.string().optional(),
      max_tokens: z.number(),
      model_preferences: json.optional(),
      model: z.string(),
      tools: z.array(json).optional(),
    })
    .describe('The server wants the model to be called. Answer with approve or deny')
    .meta({ id: 'SamplingApprovalRequest' }),
  sampling_reply: z
    .object({
      ...about,
      text: z.string(),
      model: z.string(),
      stop_reason: z.string().optional(),
      content: z.array(json).optional().describe('The blocks of a reply that calls tools'),
    })
    .describe('The reply of the model, before the server gets it. Answer with approve or deny')
    .meta({ id: 'SamplingReplyRequest' }),
  outcome_unknown: z
    .object({ ...about, message: z.string(), arguments: json, attempt: z.int() })
    .describe('A call was sent and its result was lost. Answer with retry, mark_done or fail')
    .meta({ id: 'OutcomeUnknownRequest' }),
} satisfies { readonly [K in z.output<typeof InboxKind>]: z.ZodType };

/** One object for each kind, with its `request` and the given other fields. */
export function inboxRequestVariants<Fields extends z.ZodRawShape>(fields: Fields) {
  return [
    z.object({ ...fields, kind: z.literal('tool_approval'), request: INBOX_REQUESTS.tool_approval }),
    z.object({ ...fields, kind: z.literal('elicitation_form'), request: INBOX_REQUESTS.elicitation_form }),
    z.object({ ...fields, kind: z.literal('elicitation_url'), request: INBOX_REQUESTS.elicitation_url }),
    z.object({ ...fields, kind: z.literal('sampling_approval'), request: INBOX_REQUESTS.sampling_approval }),
    z.object({ ...fields, kind: z.literal('sampling_reply'), request: INBOX_REQUESTS.sampling_reply }),
    z.object({ ...fields, kind: z.literal('outcome_unknown'), request: INBOX_REQUESTS.outcome_unknown }),
  ] as const;
}

/** A stored answer. */
export const StoredInboxResponse = z
  .object({ action: InboxAction, content: json.optional(), arguments: json.optional(), remember: Remember.optional(), remembered_approval_id: z.string().optional(), note: z.string().optional() })
  .meta({ id: 'StoredInboxResponse' });

export interface InboxItemBody {
  readonly id: string;
  readonly run_id: string;
  readonly call_id?: string;
  readonly kind: z.output<typeof InboxKind>;
  readonly state: z.output<typeof InboxState>;
  readonly request: JsonObject;
  readonly response?: JsonObject;
  readonly created_at: string;
  readonly expires_at: string;
  readonly answered_at?: string;
}

const COMPONENTS: { readonly [K in z.output<typeof InboxKind>]: string } = {
  tool_approval: 'ToolApprovalItem',
  elicitation_form: 'ElicitationFormItem',
  elicitation_url: 'ElicitationUrlItem',
  sampling_approval: 'SamplingApprovalItem',
  sampling_reply: 'SamplingReplyItem',
  outcome_unknown: 'OutcomeUnknownItem',
};

const itemVariants = inboxRequestVariants({
  id: z.string(),
  run_id: z.string(),
  call_id: z.string().optional(),
  state: InboxState,
  response: StoredInboxResponse.optional(),
  created_at: time,
  expires_at: time,
  answered_at: time.optional(),
}).map((variant) => variant.meta({ id: COMPONENTS[variant.shape.kind.value] }));

/** Something that a person has to answer. The variants are told apart by `kind`. */
export const InboxItem = z
  .discriminatedUnion('kind', itemVariants as [(typeof itemVariants)[number], ...typeof itemVariants])
  .describe('Something that a person has to answer; the shape of `request` depends on `kind`')
  .meta({ id: 'InboxItem' }) as unknown as z.ZodType<InboxItemBody, InboxItemBody>;

export const InboxResponse = z
  .strictObject({
    action: InboxAction.describe(
      'tool_approval, sampling_approval and sampling_reply: approve or deny; elicitation_form and elicitation_url: accept, decline or cancel; outcome_unknown: retry, mark_done or fail',
    ),
    content: json.optional().describe('The fields of an accepted elicitation form; or, of an approved sampling request or reply, the changed system_prompt, messages, max_tokens, or text'),
    arguments: json.optional().describe('Of an approved tool call: the arguments to call the tool with instead'),
    remember: Remember.optional().describe('Of an approved tool call: whether later calls of the same tool are approved too, with any arguments; default call, which means no'),
    note: z.string().max(2000).optional().describe('Shown to the model with a denied call or a settled unknown outcome'),
  })
  .meta({ id: 'InboxResponse' });

export const InboxList = z.object({ data: z.array(InboxItem) }).meta({ id: 'InboxList' });

export const InboxQuery = z.strictObject({
  run_id: z.string().min(1).max(100).optional(),
  state: InboxState.optional(),
});
