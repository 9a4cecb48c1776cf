import * as z from 'zod';
import { waitingFields } from './call-schemas.ts';
import { json, time } from './schemas.ts';

export const Server = z
  .object({
    name: z.string(),
    configured_name: z
      .string()
      .optional()
      .describe('Its name as the configuration has it, where that is another one'),
    transport: z.enum(['stdio', 'http', 'sse']),
    state: z
      .enum(['connecting', 'ready', 'failed', 'draining', 'drained', 'closed', 'invalid'])
      .describe('invalid: its configuration cannot be used, and error says why'),
    health: z
      .enum(['ok', 'degraded', 'down'])
      .describe('degraded: it is ready, but calls are kept from it or tools are quarantined'),
    breaker: z
      .enum(['closed', 'open', 'half_open'])
      .describe(
        'open: it does not answer, so no call is sent to it until opens_again_at; half_open: one call is tried',
      ),
    breaker_failures: z.int().describe('Calls in a row, within a minute, that were not answered'),
    opens_again_at: time.optional(),
    era: z.enum(['legacy', 'modern']).optional(),
    protocol_version: z.string().optional(),
    server_info: z.object({ name: z.string(), version: z.string() }).optional(),
    tool_count: z.int(),
    quarantined: z
      .array(z.string())
      .describe(
        'Tools that changed since they were first seen; not offered before a person approves that',
      ),
    roots: z.array(z.string()).describe('Paths of the directories it is told as roots'),
    warnings: z.array(z.string()),
    error: z.string().optional(),
    pid: z.int().optional(),
    connections: z
      .array(
        z.object({
          pid: z.int().optional(),
          calls: z.int().describe('Calls in flight'),
          run_ids: z.array(z.string()),
          open_questions: z.int().describe('Questions of the server that wait for an answer'),
          retiring: z
            .string()
            .optional()
            .describe('Why it takes no new calls and is closed when it has none'),
        }),
      )
      .describe('Its processes or sessions; more than one for a legacy server that asks questions'),
    waiting_calls: z
      .array(z.object({ run_id: z.string(), call_id: z.string().optional(), ...waitingFields }))
      .describe('Calls that wait for a connection'),
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

export const ChangesQuery = z.strictObject({
  uri: z
    .union([uri, z.array(uri).max(256)])
    .optional()
    .describe('Resources to follow; may be repeated'),
});

export const PromptArguments = z.strictObject({
  arguments: z.record(z.string(), z.string()).optional().describe('By name; all are text'),
});

export const CompletionRequest = z
  .strictObject({
    of: completionTarget,
    argument: z.strictObject({
      name: z.string().min(1).max(1000),
      value: z.string().max(8192).describe('What was typed so far'),
    }),
    chosen: z
      .record(z.string(), z.string())
      .optional()
      .describe('Arguments that were chosen before'),
  })
  .meta({ id: 'CompletionRequest' });

export const PinnedTool = z
  .object({
    tool: z.string(),
    digest: z.string().describe('SHA-256 of the pinned definition'),
    first_seen_at: time,
    accepted_at: time.optional().describe('When it took the place of an earlier one'),
    quarantined: z
      .object({ digest: z.string(), changed: z.array(z.string()), definition: json })
      .optional()
      .describe('The definition that waits for approval'),
  })
  .meta({ id: 'PinnedTool' });

export const ServerDetail = Server.extend({
  instructions: z.string().optional(),
  capabilities: json.optional(),
  pins: z.array(PinnedTool),
}).meta({ id: 'ServerDetail' });

export const ServerToolParameters = ServerParameters.extend({ tool: z.string().min(1).max(1000) });

export const ServerMode = z
  .strictObject({
    mode: z
      .enum(['graceful', 'now'])
      .default('graceful')
      .describe(
        'graceful: when the calls in flight have ended, without new ones until then; now: they are lost',
      ),
  })
  .meta({ id: 'ServerMode' });

export const ApproveTool = z
  .strictObject({
    digest: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe('Of the definition that was looked at; another one is refused'),
  })
  .meta({ id: 'ApproveTool' });

export const ApproveTools = z
  .strictObject({
    tools: z
      .union([
        z.literal('all'),
        z
          .array(
            z.strictObject({
              tool: z.string().min(1).max(1000),
              digest: z
                .string()
                .min(1)
                .max(100)
                .optional()
                .describe('Of the definition that was looked at'),
            }),
          )
          .min(1)
          .max(1000),
      ])
      .describe('all: every quarantined tool of the server'),
  })
  .meta({ id: 'ApproveTools' });

export const ApprovedTools = Server.extend({
  approved: z.array(z.string()).describe('Tools that were quarantined'),
}).meta({ id: 'ApprovedTools' });

export const ServerRoots = z
  .strictObject({
    roots: z.array(z.string().min(1).max(4096)).max(100).describe('Absolute paths or file: URLs'),
  })
  .meta({ id: 'ServerRoots' });

/** A list of objects from the server. */
export const McpList = z
  .object({ data: z.array(json), next_cursor: z.string().optional() })
  .meta({ id: 'McpList' });

export const ResourceContentList = z
  .object({ data: z.array(json).describe('With text, or blob in base64') })
  .meta({ id: 'ResourceContentList' });

export const PromptResult = z
  .object({ description: z.string().optional(), messages: z.array(json) })
  .meta({ id: 'PromptResult' });

export const CompletionValues = z
  .object({
    values: z.array(z.string()),
    total: z.int().optional(),
    has_more: z.boolean().optional(),
  })
  .meta({ id: 'CompletionValues' });

export const ServerList = z.object({ data: z.array(Server) }).meta({ id: 'ServerList' });

export const Tool = z
  .object({
    name: z.string().describe('The wire name, server__tool'),
    server: z.string(),
    tool: z.string(),
    title: z.string().optional(),
    description: z.string(),
    input_schema: json,
    output_schema: json.optional(),
    annotations: json,
    trusted: z.boolean(),
  })
  .meta({ id: 'Tool' });

export const ToolList = z
  .object({ data: z.array(Tool), next_cursor: z.string().optional() })
  .meta({ id: 'ToolList' });
