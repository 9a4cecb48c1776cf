import type { JsonObject } from '@signalbox/mcp-core';
import * as z from 'zod';
import { INBOX_KINDS } from '../ports/store/inbox.ts';
import { InboxAction, InboxState, Remember } from './inbox-schemas.ts';
import { LoginReason } from './login-response-schemas.ts';
import { LoginMethod } from './login-schemas.ts';
import { time } from './response-schemas.ts';
import { json } from './schemas.ts';

export const InboxKind = z.enum(INBOX_KINDS);

const about = {
  server: z.string().describe('MCP server of the call'),
  tool: z.string(),
  name: z.string().describe('The wire name, server__tool'),
};

/** Schemas of an inbox item's `request` by kind. */
export const INBOX_REQUESTS = {
  tool_approval: z
    .object({
      ...about,
      arguments: json,
      model_arguments: json.optional().describe('Arguments of the model, if a person changed them'),
      description: z.string(),
      annotations: json,
      trusted: z
        .boolean()
        .describe('Whether the configuration trusts the annotations of this server'),
      required_by: z
        .enum(['configuration', 'run'])
        .optional()
        .describe('Whether the configuration requires the approval, or only a rule of the run'),
      remember: z.array(Remember).describe('Allowed scopes of the approval'),
      reason: z.string().optional().describe('Why an approved call needs an approval again'),
    })
    .describe('Respond with approve or deny')
    .meta({ id: 'ToolApprovalRequest' }),
  elicitation_form: z
    .object({
      ...about,
      message: z.string(),
      requested_schema: json.describe('A JSON Schema for a flat object'),
    })
    .describe('A form from the server. Respond with accept and content, decline, or cancel')
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
        .describe('Whether the server reported that the elicitation is complete'),
    })
    .describe('A page that the person opens in a browser. Respond with accept, decline or cancel')
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
    .describe('The server requests a model call. Respond with approve or deny')
    .meta({ id: 'SamplingApprovalRequest' }),
  sampling_reply: z
    .object({
      ...about,
      text: z.string(),
      model: z.string(),
      stop_reason: z.string().optional(),
      content: z.array(json).optional().describe('Content blocks of a reply with tool calls'),
    })
    .describe(
      'The reply of the model, before it is sent to the server. Respond with approve or deny',
    )
    .meta({ id: 'SamplingReplyRequest' }),
  outcome_unknown: z
    .object({ ...about, message: z.string(), arguments: json, attempt: z.int() })
    .describe('A call was sent and its result was lost. Respond with retry, mark_done or fail')
    .meta({ id: 'OutcomeUnknownRequest' }),
  server_login: z
    .object({
      server: about.server,
      tool: z.string().optional().describe('Tool of the call that waits, if it is one call'),
      name: about.name.optional(),
      message: z.string(),
      issuer: z.string().describe('Authorization server at which a person logs in'),
      resource: z.string(),
      scopes: z.array(z.string()).describe('Scopes that the login will request'),
      required_scopes: z.array(z.string()).describe('Scopes that the refused request needs'),
      reason: LoginReason,
      methods: z.array(LoginMethod),
    })
    .describe(
      'The server of a call, or a server that the run names, needs a login: POST /v1/servers/{server}/login. The login answers the item. Respond with retry after a login elsewhere, or with decline to continue without the server',
    )
    .meta({ id: 'ServerLoginRequest' }),
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
    z.object({
      ...fields,
      kind: z.literal('server_login'),
      request: INBOX_REQUESTS.server_login,
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
    title: z.string().describe('Text to show; the value itself if the server gives no title'),
  })
  .meta({ id: 'FormChoice' });

/** A form field in a shape that is independent of the protocol version. */
export const FormField = z
  .object({
    name: z.string().describe('Member of `content` with the value of the field'),
    type: z
      .enum(['string', 'number', 'integer', 'boolean', 'array'])
      .describe('array: a list of strings, limited to `choices` if present'),
    title: z.string().optional(),
    description: z.string().optional(),
    required: z.boolean(),
    default: z
      .union([z.string(), z.number(), z.boolean(), z.array(z.string())])
      .optional()
      .describe(
        'Value when the response omits the field; null in the response leaves an optional field empty',
      ),
    choices: z
      .array(Choice)
      .optional()
      .describe('Allowed values of the field, or of the entries of an array'),
    format: z.string().optional().describe('email, uri, date and date-time are checked'),
    min_length: z.number().optional().describe('Length in characters'),
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
  server_login: 'ServerLoginItem',
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
      'For elicitation_form: its fields, with titles, defaults and choices. Absent when is_shortened',
    ),
  is_shortened: z
    .literal(true)
    .optional()
    .describe(
      'Present in lists, runs and snapshots when long parts of request or response are truncated or empty; GET /v1/inbox/{id} returns them in full',
    ),
}).map((variant) => variant.meta({ id: COMPONENTS[variant.shape.kind.value] }));

/** An item that a person must answer. `kind` is the discriminator. */
export const InboxItem = z
  .discriminatedUnion(
    'kind',
    itemVariants as [(typeof itemVariants)[number], ...typeof itemVariants],
  )
  .describe('A request for input from a person; the shape of `request` depends on `kind`')
  .meta({ id: 'InboxItem' }) as unknown as z.ZodType<InboxItemBody, InboxItemBody>;

export const InboxList = z
  .object({ data: z.array(InboxItem), next_cursor: z.string().optional() })
  .meta({ id: 'InboxList' });
