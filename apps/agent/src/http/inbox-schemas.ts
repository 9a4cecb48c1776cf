import type { JsonObject } from '@signalbox/mcp-core';
import * as z from 'zod';
import { json, ListQuery, time } from './schemas.ts';

export const InboxKind = z.enum([
  'tool_approval',
  'elicitation_form',
  'elicitation_url',
  'sampling_approval',
  'sampling_reply',
  'outcome_unknown',
]);
const InboxState = z.enum(['open', 'answered', 'delivered', 'void', 'expired']);
const InboxAction = z.enum([
  'approve',
  'deny',
  'accept',
  'decline',
  'cancel',
  'retry',
  'mark_done',
  'fail',
]);
const Remember = z.enum(['call', 'run', 'thread']);

const about = {
  server: z.string().describe('The MCP server whose call needs a person'),
  tool: z.string(),
  name: z.string().describe('The wire name, server__tool'),
};

/** Schemas of an inbox item's `request` by kind. */
export const INBOX_REQUESTS = {
  tool_approval: z
    .object({
      ...about,
      arguments: json,
      model_arguments: json
        .optional()
        .describe('The arguments that the model asked for, where a person changed them'),
      description: z.string(),
      annotations: json,
      trusted: z
        .boolean()
        .describe('Whether the configuration trusts the annotations of this server'),
      remember: z.array(Remember).describe('The scopes that an approval may have'),
      reason: z.string().optional().describe('Why an approved call needs an approval again'),
    })
    .describe('Answer with approve or deny')
    .meta({ id: 'ToolApprovalRequest' }),
  elicitation_form: z
    .object({
      ...about,
      message: z.string(),
      requested_schema: json.describe('A JSON Schema for a flat object'),
    })
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
      is_completed: z
        .boolean()
        .optional()
        .describe('True once the server reports that the page is done'),
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

/** Returns one object schema for each kind, with its `request` and the given further fields. */
export function inboxRequestVariants<Fields extends z.ZodRawShape>(fields: Fields) {
  return [
    z.object({
      ...fields,
      kind: z.literal('tool_approval'),
      request: INBOX_REQUESTS.tool_approval,
    }),
    z.object({
      ...fields,
      kind: z.literal('elicitation_form'),
      request: INBOX_REQUESTS.elicitation_form,
    }),
    z.object({
      ...fields,
      kind: z.literal('elicitation_url'),
      request: INBOX_REQUESTS.elicitation_url,
    }),
    z.object({
      ...fields,
      kind: z.literal('sampling_approval'),
      request: INBOX_REQUESTS.sampling_approval,
    }),
    z.object({
      ...fields,
      kind: z.literal('sampling_reply'),
      request: INBOX_REQUESTS.sampling_reply,
    }),
    z.object({
      ...fields,
      kind: z.literal('outcome_unknown'),
      request: INBOX_REQUESTS.outcome_unknown,
    }),
  ] as const;
}

/** A stored response. */
export const StoredInboxResponse = z
  .object({
    action: InboxAction,
    content: json.optional(),
    arguments: json.optional(),
    remember: Remember.optional(),
    remembered_approval_id: z.string().optional(),
    note: z.string().optional(),
  })
  .meta({ id: 'StoredInboxResponse' });

const Choice = z
  .object({
    value: z.union([z.string(), z.number()]),
    title: z.string().describe('The text to show; the value itself where the server gives none'),
  })
  .meta({ id: 'FormChoice' });

/** A form field in a shape that is independent of the protocol version. */
export const FormField = z
  .object({
    name: z.string().describe('The member of `content` that answers the field'),
    type: z
      .enum(['string', 'number', 'integer', 'boolean', 'array'])
      .describe('array: a list of texts, of `choices` where there are any'),
    title: z.string().optional(),
    description: z.string().optional(),
    required: z.boolean(),
    default: z
      .union([z.string(), z.number(), z.boolean(), z.array(z.string())])
      .optional()
      .describe(
        'Taken where the answer leaves the field out; null in the answer leaves an optional field empty',
      ),
    choices: z
      .array(Choice)
      .optional()
      .describe('The only values that the field, or an entry of an array, may have'),
    format: z.string().optional().describe('email, uri, date and date-time are checked'),
    min_length: z.number().optional().describe('In characters'),
    max_length: z.number().optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    min_items: z.number().optional(),
    max_items: z.number().optional(),
  })
  .meta({ id: 'FormField' });

export interface InboxItemBody {
  readonly fields?: readonly z.output<typeof FormField>[];
  readonly is_shortened?: true;
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
  fields: z
    .array(FormField)
    .optional()
    .describe(
      'Of an elicitation_form: its fields, with titles, defaults and choices. Absent where is_shortened',
    ),
  is_shortened: z
    .literal(true)
    .optional()
    .describe(
      'Present in lists, runs and snapshots where long parts of request or response are cut or empty; GET /v1/inbox/{id} has them',
    ),
}).map((variant) => variant.meta({ id: COMPONENTS[variant.shape.kind.value] }));

/** An item that a person must answer. `kind` is the discriminator. */
export const InboxItem = z
  .discriminatedUnion(
    'kind',
    itemVariants as [(typeof itemVariants)[number], ...typeof itemVariants],
  )
  .describe('Something that a person has to answer; the shape of `request` depends on `kind`')
  .meta({ id: 'InboxItem' }) as unknown as z.ZodType<InboxItemBody, InboxItemBody>;

export const InboxResponse = z
  .strictObject({
    action: InboxAction.describe(
      'tool_approval, sampling_approval and sampling_reply: approve or deny; elicitation_form and elicitation_url: accept, decline or cancel; outcome_unknown: retry, mark_done or fail',
    ),
    content: json
      .optional()
      .describe(
        'The fields of an accepted elicitation form; or, of an approved sampling request or reply, the changed system_prompt, messages, max_tokens, or text',
      ),
    arguments: json
      .optional()
      .describe('Of an approved tool call: the arguments to call the tool with instead'),
    remember: Remember.optional().describe(
      'Of an approved tool call: whether later calls of the same tool are approved too, with any arguments; default call, which means no',
    ),
    note: z
      .string()
      .max(2000)
      .optional()
      .describe('Shown to the model with a denied call or a settled unknown outcome'),
  })
  .meta({
    id: 'InboxResponse',
    examples: [
      { action: 'approve', remember: 'run' },
      { action: 'accept', content: { name: 'Ada' } },
    ],
  });

export const InboxList = z
  .object({ data: z.array(InboxItem), next_cursor: z.string().optional() })
  .meta({ id: 'InboxList' });

export const InboxQuery = ListQuery.extend({
  run_id: z.string().min(1).max(100).optional(),
  state: InboxState.optional(),
});
