import { z } from 'zod';
import { PROBLEM_CODES } from './problem.ts';

const runStatus = z.enum(['queued', 'running', 'input_required', 'cancelling', 'completed', 'failed', 'cancelled', 'expired']);
export const time = z.iso.datetime().describe('UTC, ISO 8601');
const json = z.record(z.string(), z.unknown());
const positive = (description: string) => z.int().min(1).max(2_147_483_647).describe(description);

export const Limits = z
  .strictObject({
    turns: positive('Model calls; default 50').optional(),
    tool_calls: positive('Tool calls; default 200').optional(),
    wall_clock_ms: positive('Milliseconds from the start of the run; default 3600000').optional(),
    call_inactivity_ms: positive('Milliseconds without progress of one tool call, stopped while a person is asked; default 120000').optional(),
    call_max_ms: positive('Milliseconds of one tool call, stopped while a person is asked; default 1800000').optional(),
    inbox_expiry_ms: positive('Milliseconds an inbox item waits for its answer; default 86400000').optional(),
    tokens: positive('Tokens of all model calls, input and output; default no limit').optional(),
    cost_usd: z.number().positive().max(1_000_000).describe('US dollars of all model calls; refused where the price of the model is not known; default no limit').optional(),
  })
  .meta({ id: 'Limits' });

/** Words of the client about one of its things. */
export const Metadata = z
  .record(z.string().min(1).max(64), z.string().max(512))
  .refine((metadata) => Object.keys(metadata).length <= 16, 'must have at most 16 entries')
  .describe("The client's own words about it: at most 16, names of at most 64 characters, values of at most 512");

export const NewRun = z
  .strictObject({
    prompt: z.string().trim().min(1).max(200_000).describe('The task, in plain words'),
    servers: z.array(z.string().min(1)).min(1).max(100).optional().describe('Names of the MCP servers whose tools may be used; default all'),
    model: z.string().min(1).max(200).optional().describe("The provider's model id; default the configured one"),
    limits: Limits.optional(),
    instructions: z.string().trim().min(1).max(100_000).optional().describe('Added to the instructions of every run'),
    agent_id: z.string().min(1).max(100).optional().describe('A stored agent, whose fields count where the run has none of its own'),
    thread_id: z.string().min(1).max(100).optional().describe('The run begins with what was said in the settled runs of the thread'),
    on_busy: z
      .enum(['reject', 'enqueue', 'interrupt'])
      .optional()
      .describe('While a run of the thread is not settled: refuse (409), wait for it, or cancel it and go on when it has ended; default reject'),
    metadata: Metadata.optional(),
    output_schema: json.optional().describe('A JSON Schema for an object: the answer is one that fits it, asked for again once, or the run fails with invalid_output'),
  })
  .refine(({ thread_id: threadId, on_busy: onBusy }) => onBusy === undefined || threadId !== undefined, { path: ['on_busy'], message: 'is only about runs with a thread_id' })
  .meta({ id: 'NewRun' });

export const NewFork = z
  .strictObject({
    at_turn: z.int().min(0).max(2_147_483_647).optional().describe('The last turn that is kept; 0 keeps the prompt alone; default the last one whose calls have ended'),
    prompt: z.string().trim().min(1).max(200_000).optional().describe('What the user says next; at turn 0 in place of the prompt'),
  })
  .meta({ id: 'NewFork' });

export const Usage = z
  .object({
    input: z.int().describe('Tokens of the whole prompt, cached parts included'),
    cache_read: z.int(),
    cache_write: z.int(),
    output: z.int(),
    reasoning: z.int(),
    source: z.enum(['reported', 'partial', 'estimated']),
    cost_usd: z.number().optional().describe('US dollars; absent when a price is not known'),
  })
  .meta({ id: 'Usage' });

export const InboxItem = z
  .object({
    id: z.string(),
    run_id: z.string(),
    call_id: z.string().optional(),
    kind: z.enum(['tool_approval', 'elicitation_form', 'elicitation_url', 'sampling_approval', 'sampling_reply', 'outcome_unknown']),
    state: z.enum(['open', 'answered', 'delivered', 'void', 'expired']),
    request: json.describe('What is asked; its shape depends on the kind'),
    response: json.optional(),
    created_at: time,
    expires_at: time,
    answered_at: time.optional(),
  })
  .meta({ id: 'InboxItem' });

export const InboxResponse = z
  .strictObject({
    action: z
      .enum(['approve', 'deny', 'accept', 'decline', 'cancel', 'retry', 'mark_done', 'fail'])
      .describe(
        'tool_approval, sampling_approval and sampling_reply: approve or deny; elicitation_form and elicitation_url: accept, decline or cancel; outcome_unknown: retry, mark_done or fail',
      ),
    content: json.optional().describe('The answers of an accepted elicitation form; of an approved sampling request or reply the changed system_prompt, messages, max_tokens, or text'),
    arguments: json.optional().describe('Of an approved tool call: what it is to be made with instead'),
    remember: z.enum(['call', 'run', 'thread']).optional().describe('Of an approved tool call: whether later calls of the same tool are approved, too, whatever their arguments; default call, which is no'),
    note: z.string().max(2000).optional().describe('Told to the model with a denied call or a settled unknown outcome'),
  })
  .meta({ id: 'InboxResponse' });

export const Run = z
  .object({
    id: z.string(),
    kind: z.enum(['agent', 'call']).describe('call: one tool call without a model'),
    status: runStatus,
    status_reason: z.string().optional(),
    prompt: z.string(),
    servers: z.array(z.string()).optional(),
    provider: z.string(),
    model: z.string(),
    scripted: z.boolean().describe('True when the answers come from scripts and not from a model'),
    notice: z.string().optional().describe('Shown when no model is configured'),
    limits: z.object({
      turns: z.int(),
      tool_calls: z.int(),
      wall_clock_ms: z.int(),
      call_inactivity_ms: z.int(),
      call_max_ms: z.int(),
      inbox_expiry_ms: z.int(),
      tokens: z.int().optional(),
      cost_usd: z.number().optional(),
    }),
    thread_id: z.string().optional(),
    agent_id: z.string().optional(),
    instructions: z.string().optional(),
    metadata: z.record(z.string(), z.string()),
    forked_from: z.object({ run_id: z.string(), turn: z.int() }).optional(),
    last_seq: z.int(),
    turns: z.int(),
    tool_calls: z.int(),
    usage: Usage.optional(),
    answer: z.string().optional(),
    output_schema: json.optional(),
    output: z.unknown().optional().describe('The answer as a value that fits output_schema'),
    error: z.object({ code: z.string(), message: z.string() }).optional(),
    inbox: z.array(InboxItem).describe('Open inbox items of the run'),
    created_at: time,
    started_at: time.optional(),
    finished_at: time.optional(),
  })
  .meta({ id: 'Run' });

export const RunList = z.object({ data: z.array(Run), next_cursor: z.string().optional() }).meta({ id: 'RunList' });

export const RunEvent = z
  .object({
    run_id: z.string(),
    seq: z.int().describe('1, 2, 3… within the run; also the SSE id'),
    type: z.string(),
    version: z.int(),
    at: time,
    data: json,
  })
  .meta({ id: 'RunEvent' });

export const RunEventPage = z
  .object({ data: z.array(RunEvent), last_seq: z.int(), next_cursor: z.string().optional().describe('Pass as `after` for the next page') })
  .meta({ id: 'RunEventPage' });

export const ToolCall = z
  .object({
    id: z.string(),
    run_id: z.string(),
    turn: z.int(),
    name: z.string().describe('The wire name, server__tool'),
    server: z.string(),
    tool: z.string(),
    arguments: json,
    state: z.enum(['planned', 'awaiting_approval', 'dispatched', 'input_required', 'working', 'succeeded', 'failed', 'cancelled', 'unknown']),
    attempt: z.int(),
    idempotency_key: z.string(),
    result: z.unknown().optional(),
    artifact_id: z.string().optional().describe('Where the text of the result is longer than 64 KiB: the artifact that has all of it'),
    error: z.string().optional(),
    cancel: z.enum(['sent', 'delivered', 'confirmed', 'failed']).optional(),
    created_at: time,
    finished_at: time.optional(),
  })
  .meta({ id: 'ToolCall' });

export const ToolCallList = z.object({ data: z.array(ToolCall) }).meta({ id: 'ToolCallList' });
export const InboxList = z.object({ data: z.array(InboxItem) }).meta({ id: 'InboxList' });

export const Server = z
  .object({
    name: z.string(),
    transport: z.enum(['stdio', 'http', 'sse']),
    state: z.enum(['connecting', 'ready', 'failed', 'draining', 'drained', 'closed']),
    health: z.enum(['ok', 'degraded', 'down']).describe('degraded: it is ready, but calls are kept from it or tools are quarantined'),
    breaker: z.enum(['closed', 'open', 'half_open']).describe('open: it does not answer, so no call is sent to it until opens_again_at; half_open: one call is tried'),
    breaker_failures: z.int().describe('Calls in a row, within a minute, that were not answered'),
    opens_again_at: time.optional(),
    era: z.enum(['legacy', 'modern']).optional(),
    protocol_version: z.string().optional(),
    server_info: z.object({ name: z.string(), version: z.string() }).optional(),
    tool_count: z.int(),
    quarantined: z.array(z.string()).describe('Tools that changed since they were first seen; not offered before a person approves that'),
    roots: z.array(z.string()).describe('Paths of the directories it is told as roots'),
    warnings: z.array(z.string()),
    error: z.string().optional(),
    pid: z.int().optional(),
    since: time,
    restarts: z.int(),
  })
  .meta({ id: 'Server' });

const uri = z.string().min(1).max(8192);
const completionTarget = z.union([
  z.strictObject({ prompt: z.string().min(1).max(1000) }).describe('A prompt of the server'),
  z.strictObject({ uri_template: uri }).describe('A resource template of the server'),
]);

export const ServerParameters = z.object({ name: z.string().min(1).max(100) });
export const PromptParameters = ServerParameters.extend({ prompt: z.string().min(1).max(1000) });
export const ResourceQuery = z.strictObject({ uri: uri.describe('The URI of the resource') });
export const PageQuery = z.strictObject({ limit: z.coerce.number().int().min(1).max(1000).default(100), cursor: z.string().max(100).optional() });
export const ChangesQuery = z.strictObject({ uri: z.union([uri, z.array(uri).max(256)]).optional().describe('Resources to follow; may be repeated') });
export const PromptArguments = z.strictObject({ arguments: z.record(z.string(), z.string()).optional().describe('By name; all are text') });
export const CompletionRequest = z
  .strictObject({
    of: completionTarget,
    argument: z.strictObject({ name: z.string().min(1).max(1000), value: z.string().max(8192).describe('What was typed so far') }),
    chosen: z.record(z.string(), z.string()).optional().describe('Arguments that were chosen before'),
  })
  .meta({ id: 'CompletionRequest' });
export const PinnedTool = z
  .object({
    tool: z.string(),
    digest: z.string().describe('SHA-256 of the pinned definition'),
    first_seen_at: time,
    accepted_at: time.optional().describe('When it took the place of an earlier one'),
    quarantined: z.object({ digest: z.string(), changed: z.array(z.string()), definition: json }).optional().describe('The definition that waits for approval'),
  })
  .meta({ id: 'PinnedTool' });
export const ServerDetail = Server.extend({ instructions: z.string().optional(), capabilities: json.optional(), pins: z.array(PinnedTool) }).meta({ id: 'ServerDetail' });
export const ServerToolParameters = ServerParameters.extend({ tool: z.string().min(1).max(1000) });
export const ServerMode = z
  .strictObject({ mode: z.enum(['graceful', 'now']).default('graceful').describe('graceful: when the calls in flight have ended, without new ones until then; now: they are lost') })
  .meta({ id: 'ServerMode' });
export const ApproveTool = z.strictObject({ digest: z.string().min(1).max(100).optional().describe('Of the definition that was looked at; another one is refused') }).meta({ id: 'ApproveTool' });
export const ServerRoots = z.strictObject({ roots: z.array(z.string().min(1).max(4096)).max(100).describe('Absolute paths or file: URLs') }).meta({ id: 'ServerRoots' });
/** As the server sent them. */
export const McpList = z.object({ data: z.array(json), next_cursor: z.string().optional() }).meta({ id: 'McpList' });
export const ResourceContentList = z.object({ data: z.array(json).describe('With text, or blob in base64') }).meta({ id: 'ResourceContentList' });
export const PromptResult = z.object({ description: z.string().optional(), messages: z.array(json) }).meta({ id: 'PromptResult' });
export const CompletionValues = z.object({ values: z.array(z.string()), total: z.int().optional(), has_more: z.boolean().optional() }).meta({ id: 'CompletionValues' });

export const ServerList = z.object({ data: z.array(Server) }).meta({ id: 'ServerList' });

export const Tool = z
  .object({
    name: z.string().describe('The wire name, server__tool'),
    server: z.string(),
    tool: z.string(),
    title: z.string().optional(),
    description: z.string(),
    input_schema: json,
    annotations: json,
    trusted: z.boolean(),
  })
  .meta({ id: 'Tool' });

export const ToolList = z.object({ data: z.array(Tool) }).meta({ id: 'ToolList' });

export const Health = z
  .object({ status: z.literal('ok'), version: z.string(), provider: z.string(), model: z.string(), scripted: z.boolean(), notice: z.string().optional() })
  .meta({ id: 'Health' });

export const ProblemDetails = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string(),
    code: z.enum(PROBLEM_CODES),
    retryable: z.boolean(),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: 'ProblemDetails' });

export const CancelRun = z
  .strictObject({ reason: z.string().max(500).optional().describe('Shown in the run; never sent to servers') })
  .meta({ id: 'CancelRun' });

export const NewCall = z
  .strictObject({
    arguments: json.optional().describe("They must fit the tool's input schema; default none"),
    limits: Limits.optional(),
    metadata: Metadata.optional(),
  })
  .meta({ id: 'NewCall' });

export const CallRun = Run.extend({ call: ToolCall }).meta({ id: 'CallRun' });
export const CancelCall = z.strictObject({}).meta({ id: 'CancelCall' });

export const RunParameters = z.object({ id: z.string().min(1).max(100) });
export const CallParameters = RunParameters.extend({ call_id: z.string().min(1).max(100) });
export const ToolParameters = z.object({ name: z.string().min(1).max(100) });

export const RunListQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().min(1).max(500).optional(),
  status: runStatus.optional(),
  thread_id: z.string().min(1).max(100).optional(),
  agent_id: z.string().min(1).max(100).optional(),
});

export const EventsQuery = z.strictObject({
  after: z.coerce.number().int().min(0).optional().describe('Events with a greater seq; default 0, or the Last-Event-ID header'),
  limit: z.coerce.number().int().min(1).max(1000).default(200).describe('Of a JSON page'),
});

export const InboxQuery = z.strictObject({
  run_id: z.string().min(1).max(100).optional(),
  state: z.enum(['open', 'answered', 'delivered', 'void', 'expired']).optional(),
});
