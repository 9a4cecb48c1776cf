import * as z from 'zod';
import { InboxItem } from './inbox-response-schemas.ts';
import { time } from './response-schemas.ts';
import { json } from './schemas.ts';
import { setSettings } from './setting-response-schemas.ts';
import { setToolRules } from './tool-rule-response-schemas.ts';
import { runStatus, priority } from './run-schemas.ts';

export const Usage = z
  .object({
    input: z.int().describe('Tokens of the whole prompt, cached parts included'),
    cache_read: z.int(),
    cache_write: z.int(),
    output: z.int(),
    reasoning: z.int(),
    source: z.enum(['reported', 'partial', 'estimated']),
    cost_usd: z.number().optional().describe('US dollars; absent without a known price'),
  })
  .meta({ id: 'Usage' });

/** All limits of a run. */
export const RunLimits = z
  .object({
    turns: z
      .int()
      .optional()
      .describe(
        'Absent for kind call, as tool_calls, tokens, output_tokens, cost_usd and model_outage_ms are',
      ),
    tool_calls: z.int().optional(),
    wall_clock_ms: z.int(),
    call_inactivity_ms: z.int(),
    call_max_ms: z.int(),
    inbox_expiry_ms: z.int(),
    tokens: z.int().optional(),
    cost_usd: z.number().optional(),
    output_tokens: z.int().optional(),
    model_outage_ms: z.int().optional(),
  })
  .meta({ id: 'RunLimits' });

export const RunErrorDetails = z
  .object({ code: z.string().describe('Stable, snake_case'), message: z.string() })
  .meta({ id: 'RunError' });

export const Run = z
  .object({
    id: z.string(),
    kind: z.enum(['agent', 'call']).describe('call: one tool call without a model'),
    status: runStatus,
    status_reason: z.string().optional(),
    priority: priority.describe('normal for kind call'),
    api_key: z.string().describe('Name of the API key that created the run; anonymous without one'),
    prompt: z.string(),
    servers: z.array(z.string()).optional(),
    ...setToolRules,
    provider: z.string().optional().describe('Absent for kind call'),
    model: z.string().optional().describe('Absent for kind call'),
    scripted: z.boolean().describe('Whether scripts answer in place of a model'),
    notice: z
      .string()
      .optional()
      .describe('Present when the answers are scripted, or the limits of the model are assumed'),
    ...setSettings,
    limits: RunLimits,
    thread_id: z.string().optional(),
    agent_id: z.string().optional(),
    agent_version: z
      .int()
      .optional()
      .describe('Version of the agent with which the run was started'),
    instructions: z.string().optional(),
    metadata: z.record(z.string(), z.string()),
    forked_from: z.object({ run_id: z.string(), turn: z.int() }).optional(),
    last_seq: z.int(),
    turns: z.int(),
    tool_calls: z.int(),
    usage: Usage.optional(),
    answer: z.string().optional(),
    output_schema: json.optional(),
    output: z.unknown().optional().describe('The answer as a value that conforms to output_schema'),
    error: RunErrorDetails.optional(),
    model_outage: z
      .object({
        since: time,
        attempts: z.int().describe('Consecutive failed attempts'),
        next_attempt_at: time,
        error: RunErrorDetails.describe('Reason of the last failure'),
      })
      .optional()
      .describe(
        'The model call failed for a temporary reason and is retried; status_reason is model_unavailable',
      ),
    inbox: z
      .array(InboxItem)
      .describe(
        'The oldest open inbox items of the run, at most 20; GET /v1/inbox?run_id= returns all',
      ),
    is_shortened: z
      .literal(true)
      .optional()
      .describe(
        'Present in lists when prompt, instructions or answer is truncated to 1000 characters, or output or output_schema is left out; GET /v1/runs/{id} returns them in full',
      ),
    created_at: time,
    started_at: time.optional(),
    finished_at: time.optional(),
  })
  .meta({ id: 'Run' });

export const RunList = z
  .object({ data: z.array(Run), next_cursor: z.string().optional() })
  .meta({ id: 'RunList' });
