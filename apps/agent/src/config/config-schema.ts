import * as z from 'zod';
import { cardSchema } from '../llm/catalogue/card-schema.ts';
import { entryProblems } from './entry-problems.ts';
import { parseNetwork } from '@signalbox/mcp-core/http/addresses';
import { httpUrlProblem } from './http-url.ts';
import { serverAuth } from './server-auth-schema.ts';

const text = z.string().min(1);
const texts = z.array(z.string());
const baseUrl = z.string().superRefine((value, context) => {
  const problem = httpUrlProblem(value);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
});

const days = z.int().min(1).max(36_500);
const network = z.string().refine((value) => parseNetwork(value) !== undefined, {
  error: 'must be a network such as 10.0.0.0/8 or fd00::/8, or an address',
});
const slots = z.int().min(1).max(10_000);

const variableName = (secret: string) =>
  z
    .string()
    .regex(
      /^[A-Za-z_][A-Za-z0-9_]*$/,
      `must be the name of an environment variable, not the ${secret} itself`,
    );

const approvalRule = z.strictObject({ tools: text, policy: z.enum(['auto', 'ask', 'deny']) });

const serverPolicy = z.strictObject({
  trust: z
    .boolean()
    .optional()
    .describe("Whether the hints of the server's tools count; default false"),
  allow: z
    .array(text)
    .optional()
    .describe('Patterns of tool names that are offered (* matches any characters); default all'),
  deny: z.array(text).optional().describe('Patterns of tool names that are not offered'),
  roots: z.array(text).optional().describe('Directories announced to the server as its roots'),
  era: z
    .enum(['auto', 'legacy', 'modern'])
    .optional()
    .describe('Pins the protocol era; default auto'),
  approval: z
    .enum(['default', 'auto', 'ask', 'deny'])
    .optional()
    .describe('default: read-only tools of a trusted server run, all others ask'),
  approvals: z
    .array(approvalRule)
    .max(1000)
    .optional()
    .describe('Rules by pattern of tool names; the first matching rule applies, before approval'),
  sampling: z
    .enum(['auto', 'ask', 'deny'])
    .optional()
    .describe('Whether the server may use the model; default ask'),
  connections: z
    .int()
    .min(1)
    .max(32)
    .optional()
    .describe(
      'Maximum number of open processes or sessions, for a legacy server that sends input requests; default 4; 1 for a server that must not be started twice',
    ),
  singleton: z
    .boolean()
    .optional()
    .describe(
      'Whether all workers of the service share one connection, which one of them owns; default false; connections is then 1',
    ),
  connectMs: z
    .int()
    .min(1000)
    .max(600_000)
    .optional()
    .describe('Milliseconds the server has to connect; default 60000'),
  callsPerMinute: z
    .int()
    .min(1)
    .max(10_000)
    .optional()
    .describe(
      'Maximum number of tool calls that are sent within a minute, by all processes of the service; others wait; default no limit',
    ),
  samplingReview: z
    .boolean()
    .optional()
    .describe(
      "Whether a person sees the model's reply before the server receives it; default false",
    ),
  maxMessageBytes: z
    .int()
    .min(64 * 1024)
    .max(256 * 1024 * 1024)
    .optional()
    .describe('The longest message of the server, in bytes; default 4194304'),
  auth: serverAuth
    .optional()
    .describe('Authorization by OAuth at a server with url; not beside a header Authorization'),
});

/** Schema of an entry of `mcpServers`. */
export const serverEntry = z
  .looseObject({
    type: z
      .enum(['stdio', 'http', 'sse'])
      .optional()
      .describe('Default with command: stdio; with url: http, and sse if the server rejects it'),
    command: text.optional().describe('The program that is started'),
    args: texts.optional(),
    env: z.record(z.string(), z.string()).optional(),
    cwd: text
      .optional()
      .describe('Relative to this file; default: the folder where signalbox was started'),
    envFile: text
      .optional()
      .describe('A file of NAME=value lines, relative to this file; env overrides it'),
    url: text.optional().describe('The address of a server that runs elsewhere'),
    headers: z.record(z.string(), z.string()).optional().describe('Sent with every request to url'),
    signalbox: serverPolicy.optional(),
  })
  .superRefine((entry, context) => {
    for (const { location, problem } of entryProblems(entry))
      context.addIssue({ code: 'custom', path: [...location], message: problem });
  });

const providerKind = z.enum(['openai', 'anthropic', 'scripted']);

/** Settings of the default provider and of further ones. */
const providerSettings = {
  model: text.optional(),
  base_url: baseUrl.optional().describe('The address of a compatible server'),
  wire: z
    .enum(['responses', 'chat', 'messages'])
    .optional()
    .describe('The API that the server at base_url speaks'),
  models: z
    .record(text, cardSchema)
    .optional()
    .describe('Data of models by id, which overrides the model table'),
  max_output_tokens: z
    .int()
    .min(1)
    .max(10_000_000)
    .optional()
    .describe('Maximum number of output tokens of one message; default the maximum of the model'),
  tool_description_characters: z
    .int()
    .min(64)
    .max(1_000_000)
    .optional()
    .describe(
      'Longest tool description that is sent to the model; default 1024 on chat and at Azure, else no limit',
    ),
  scenario: text.optional().describe('Scripts for the provider scripted'),
};

const furtherProvider = z.strictObject({
  provider: providerKind
    .optional()
    .describe('Default: the provider of wire, or the name of the entry'),
  ...providerSettings,
  key_variable: variableName('key')
    .optional()
    .describe(
      "Environment variable of the key; default that of the vendor at the vendor's own address, else none",
    ),
});

const keyLimits = {
  running_runs: slots
    .optional()
    .describe('Runs of the key that may be in progress; further ones wait. Default: no limit'),
  runs_per_minute: slots
    .optional()
    .describe(
      'Runs and single tool calls that the key may start within a minute before further ones are refused with 429. Default: no limit',
    ),
};

const apiKey = z.strictObject({
  ...keyLimits,
  token_variable: variableName('token').describe('Environment variable of the token'),
});

/** Schema of `signalbox.json`. Entries of `mcpServers` may have members of other hosts. */
export const configSchema = z.strictObject({
  $schema: z.string().optional(),
  mcpServers: z
    .record(z.string(), serverEntry)
    .optional()
    .describe('The MCP servers by name, as for other hosts'),
  llm: z
    .strictObject({
      provider: providerKind.optional().describe('Default: the one whose key is set'),
      ...providerSettings,
      providers: z
        .record(
          z
            .string()
            .regex(
              /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
              'must be 1 to 64 letters, digits, ".", "_" and "-"',
            ),
          furtherProvider,
        )
        .optional()
        .describe('Further providers by name; their models are named provider/model'),
      cassette: text.optional().describe('off, record:FILE or replay:FILE'),
    })
    .optional(),
  host: text
    .optional()
    .describe(
      'Default 127.0.0.1; an address that other machines can reach needs an API key: SIGNALBOX_TOKEN or api_keys',
    ),
  port: z.int().min(0).max(65_535).optional().describe('Default 8020; 0 takes a free port'),
  data_dir: text.optional().describe('Default ./.signalbox'),
  database: z
    .strictObject({
      connections: z
        .int()
        .min(2)
        .max(200)
        .optional()
        .describe('Connections of the process to PostgreSQL. Default 10'),
      statement_timeout_ms: z
        .int()
        .min(1000)
        .max(600_000)
        .optional()
        .describe('Milliseconds after which PostgreSQL gives up a statement. Default 30000'),
    })
    .optional()
    .describe('Used with DATABASE_URL only'),
  edit_servers: z
    .enum(['off', 'remote', 'all'])
    .optional()
    .describe(
      'Servers that callers of the REST API may add, change and remove: none (off, default), those with url (remote), or also commands, which the service starts (all; needs API keys)',
    ),
  log_level: z.enum(['debug', 'info', 'warn', 'error']).optional().describe('Default info'),
  log_format: z.enum(['text', 'json']).optional().describe('Default text'),
  api_keys: z
    .record(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/), apiKey)
    .optional()
    .describe('Keys of the REST API by name, in addition to the one in SIGNALBOX_TOKEN'),
  api_key_limits: z
    .strictObject(keyLimits)
    .optional()
    .describe('Limits of each API key, over all processes; api_keys can replace them'),
  allowed_origins: z
    .array(
      z.string().refine((value) => /^https?:/.test(value) && URL.parse(value)?.origin === value, {
        error: 'must be an origin, such as https://console.example.com, without a path',
      }),
    )
    .max(100)
    .optional()
    .describe(
      'Origins of web pages that may use the REST API (CORS), besides the service itself. Default: none',
    ),
  max_queued_runs: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe(
      'Runs that may wait for their first step before new ones are refused with 429; likewise single tool calls under way. Default 1000',
    ),
  max_streams: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe(
      'Event streams that may be open before further ones are refused with 429. Default, and at most, half of the connections',
    ),
  max_streams_per_run: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe(
      'Event streams of one run that may be open before further ones are refused with 429. Default 2000',
    ),
  max_pending_body_bytes: z
    .int()
    .min(1024 * 1024)
    .max(16 * 1024 * 1024 * 1024)
    .optional()
    .describe(
      'Bytes of request bodies that may be in transfer before further requests are refused with 429. Default 67108864',
    ),
  concurrency: z
    .strictObject({
      model_calls: slots.optional().describe('Runs that may be in a model call. Default 32'),
      tool_calls: slots
        .optional()
        .describe(
          'Tool calls that may be in progress, without those that wait for a person. Default 256',
        ),
      tool_calls_per_server: slots
        .optional()
        .describe('Tool calls that may be in progress on one server. Default 32'),
      waiting_calls: slots
        .optional()
        .describe(
          'Calls that may wait for a person with the connection to their server open. Default 256',
        ),
    })
    .optional()
    .describe('Work that one process does at a time; further work waits'),
  retention_days: z
    .union([
      days,
      z.strictObject({
        completed: days.optional(),
        failed: days.optional(),
        cancelled: days.optional(),
        expired: days.optional(),
      }),
    ])
    .optional()
    .describe(
      'Days after their end for which runs are kept: one number for all, or by status. Default: forever',
    ),
  public_url: baseUrl
    .optional()
    .describe(
      'Address at which browsers reach the service, for the redirects of logins: https, or http at a loopback address. Default: its own address if it is a loopback address',
    ),
  remote_servers: z
    .strictObject({
      allowed_networks: z
        .array(network)
        .max(100)
        .optional()
        .describe(
          'Networks (10.1.0.0/16, fd00::/8, 127.0.0.1) that servers with url and their authorization servers may be in although they are not public. Default: any for the url of a server, except by a name link-local addresses; none for authorization servers, except loopback addresses for a server with one',
        ),
      client_name: text
        .max(200)
        .optional()
        .describe('Name of the service at authorization servers; default Signalbox'),
      client_metadata_url: baseUrl
        .optional()
        .describe(
          'https URL of a client ID metadata document, by which authorization servers know the service without a registration',
        ),
    })
    .optional(),
  webhooks: z
    .strictObject({
      allowed_networks: z
        .array(network)
        .max(100)
        .optional()
        .describe(
          'Networks (10.1.0.0/16, fd00::/8, 127.0.0.1) that webhooks may reach although they are not public; default none',
        ),
      retention_days: z
        .int()
        .min(1)
        .max(365)
        .optional()
        .describe('Days after their end for which deliveries are kept; default 7'),
    })
    .optional(),
  durability: z
    .enum(['process', 'power'])
    .optional()
    .describe(
      'Event that commits survive: the end of the process (default), or also of the machine (power)',
    ),
});

export type FileConfig = z.infer<typeof configSchema>;
export type ServerEntry = z.infer<typeof serverEntry>;

/** Members of a server entry that are read. */
export const SERVER_FIELDS: readonly string[] = Object.keys(serverEntry.shape);

/** Members of other hosts that are ignored without a notice. */
export const FOREIGN_SERVER_FIELDS: readonly string[] = [
  'disabled',
  'enabled',
  'autoApprove',
  'alwaysAllow',
  'timeout',
  'name',
  'description',
  'icon',
  'version',
  'gallery',
  'source',
  'dev',
];
