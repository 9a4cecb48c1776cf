import * as z from 'zod';
import { waitingFields } from './call-response-schemas.ts';
import { NeededLogin } from './login-response-schemas.ts';
import { time } from './response-schemas.ts';
import { json } from './schemas.ts';

export const Server = z
  .object({
    name: z.string(),
    configured_name: z.string().optional().describe('Name in the configuration, if different'),
    transport: z.enum(['stdio', 'http', 'sse']),
    state: z
      .enum([
        'connecting',
        'ready',
        'needs_login',
        'failed',
        'draining',
        'drained',
        'closed',
        'invalid',
      ])
      .describe(
        'needs_login: the server refuses the service until a person logs in; invalid: its configuration is invalid, and `error` has the reason',
      ),
    login: NeededLogin.optional().describe(
      'Present with needs_login, and while calls of a ready server need more scopes. POST /v1/servers/{name}/login begins the login',
    ),
    health: z
      .enum(['ok', 'degraded', 'down'])
      .describe('degraded: ready, but calls are blocked or tools are quarantined'),
    breaker: z
      .enum(['closed', 'open', 'half_open'])
      .describe(
        'open: the server does not respond, so no call is sent until opens_again_at; half_open: one trial call is sent',
      ),
    breaker_failures: z.int().describe('Consecutive unanswered calls within a minute'),
    opens_again_at: time.optional(),
    era: z.enum(['legacy', 'modern']).optional(),
    protocol_version: z.string().optional(),
    server_info: z.object({ name: z.string(), version: z.string() }).optional(),
    tool_count: z.int(),
    quarantined: z
      .array(z.string())
      .describe(
        'Tools that changed since they were first seen; not offered before a person approves the change',
      ),
    roots: z.array(z.string()).describe('Paths of the directories that the server gets as roots'),
    warnings: z.array(z.string()),
    error: z.string().optional(),
    pid: z.int().optional(),
    connections: z
      .array(
        z.object({
          pid: z.int().optional(),
          calls: z.int().describe('Calls in flight'),
          run_ids: z.array(z.string()),
          open_questions: z.int().describe('Open input requests of the server'),
          retiring: z
            .string()
            .optional()
            .describe('Why the connection takes no new calls and is closed when it is idle'),
        }),
      )
      .describe(
        'Processes or sessions of the server; several for a legacy server that sends input requests',
      ),
    waiting_calls: z
      .array(z.object({ run_id: z.string(), call_id: z.string().optional(), ...waitingFields }))
      .describe('Calls that wait for a connection'),
    rate_limited: z
      .object({
        calls: z.int().describe('Calls that wait for their turn, of all processes'),
        next_at: time.describe('When the next of them is expected to be sent'),
      })
      .optional()
      .describe('Present while calls wait because the server has reached its `callsPerMinute`'),
    since: time,
    restarts: z.int(),
    definition: z
      .object({
        source: z
          .enum(['configuration', 'api', 'command_line'])
          .describe(
            'Where the server is defined: the configuration file, the API, or the command line',
          ),
        editable: z.boolean().describe('Whether the API may change and remove the server'),
      })
      .optional()
      .describe('Present where the API may change servers'),
    workers: z
      .array(
        z.object({
          id: z.string(),
          state: z.string(),
          since: time,
          error: z.string().optional(),
        }),
      )
      .optional()
      .describe(
        'State on each worker, in a process with `--role api`; the other fields describe the worker with the best state',
      ),
  })
  .meta({ id: 'Server' });

export const PinnedTool = z
  .object({
    tool: z.string(),
    digest: z.string().describe('SHA-256 of the pinned definition'),
    first_seen_at: time,
    accepted_at: time.optional().describe('When it replaced an earlier definition'),
    quarantined: z
      .object({
        digest: z.string(),
        changed: z.array(z.string()),
        definition: json,
        pinned_definition: json
          .optional()
          .describe('The approved definition; absent if it was not stored'),
      })
      .optional()
      .describe('The definition that waits for approval'),
  })
  .meta({ id: 'PinnedTool' });

export const ServerDetail = Server.extend({
  instructions: z.string().optional(),
  capabilities: json.optional(),
  pins: z.array(PinnedTool),
  logged_in: z
    .object({ issuer: z.string(), at: time })
    .optional()
    .describe('Authorization server and time of the last login; absent after a logout'),
}).meta({ id: 'ServerDetail' });

export const ApprovedTools = Server.extend({
  approved: z.array(z.string()).describe('Tools whose changed definition was approved'),
}).meta({ id: 'ApprovedTools' });

export const ServerLog = z
  .object({
    lines: z.array(
      z.object({
        at: time,
        level: z.enum(['debug', 'info', 'warn']),
        text: z.string().describe('At most 2,000 characters'),
      }),
    ),
  })
  .meta({ id: 'ServerLog' });

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

export const ServerList = z
  .object({
    data: z.array(Server),
    next_cursor: z.string().optional(),
    editing: z
      .enum(['off', 'remote', 'all'])
      .describe(
        'Servers that the API may add, change and remove: none, those with a URL, or also commands',
      ),
  })
  .meta({ id: 'ServerList' });

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
