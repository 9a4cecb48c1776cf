import type { CardEntry } from '../llm/catalogue/card-schema.ts';
import type { KeyLimits } from '../ports/api-key.ts';
import type { Concurrency } from '../ports/concurrency.ts';
import type { WorkerRole } from '../ports/store/worker.ts';
import type { RemoteServersSettings, ServerAuth } from './remote-auth.ts';

export interface RetentionDays {
  readonly completed?: number | undefined;
  readonly failed?: number | undefined;
  readonly cancelled?: number | undefined;
  readonly expired?: number | undefined;
}

/** Configuration of an MCP server. `signalbox` holds the members that other hosts do not know. */
export type ServerConfig = StdioServerConfig | RemoteServerConfig;

/** A server that is started as a child process. */
export interface StdioServerConfig extends ServerRules {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string };
  readonly cwd: string | undefined;
}

/** A remote server. */
export interface RemoteServerConfig extends ServerRules {
  /**
   * `http`: Streamable HTTP; `sse`: HTTP+SSE of 2024-11-05; `auto`: Streamable HTTP, with HTTP+SSE
   * as the fallback.
   */
  readonly transport: 'http' | 'sse' | 'auto';
  /** Address without user name and password, which are in `headers`. */
  readonly url: string;
  /** Headers of every request. Their values are secrets, like the values in the URL's query. */
  readonly headers: { readonly [name: string]: string };
  /** Authorization of the service at the server. Default: a user logs in when the server asks for it. */
  readonly auth?: ServerAuth;
}

/** Settings of servers of every kind. */
export interface ServerRules {
  /** Prefix of the wire names of the server's tools: 1 to 32 letters, digits, `-` and `_`. */
  readonly name: string;
  /** Name in the configuration, if it is different. */
  readonly configuredName?: string;
  /** Whether the server's tool annotations are trusted. Default: false. */
  readonly trust: boolean;
  /** Patterns of tool names offered to the model (`*` matches any characters). Empty: all tools. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  /** Directories that the server is given as roots. */
  readonly roots: readonly string[];
  readonly era: 'auto' | 'legacy' | 'modern';
  /**
   * Policy for tools without an entry in `approvals`. Default: `auto` for read-only tools of a
   * trusted server, otherwise `ask`.
   */
  readonly approval: 'default' | 'auto' | 'ask' | 'deny';
  /** Policies by pattern of tool names; the first match counts. */
  readonly approvals?: readonly {
    readonly tools: string;
    readonly policy: 'auto' | 'ask' | 'deny';
  }[];
  /** Policy for sampling requests. Default: `ask`. */
  readonly sampling: 'auto' | 'ask' | 'deny';
  /** Whether a person reviews the model's reply to a sampling request. Default: false. */
  readonly samplingReview?: boolean;
  /** Maximum size of a message from the server in bytes. Default: 4 MiB. */
  readonly maxMessageBytes?: number;
  /**
   * Maximum number of open processes or sessions. Default: 4. With 1 a second one is never opened.
   */
  readonly connections?: number;
  /** Whether one worker is connected for all workers of the service. Default: false. */
  readonly singleton?: boolean;
  /** Milliseconds the server has to connect. Default: 60,000. */
  readonly connectMs?: number;
  /** Maximum number of tool calls that are sent within a minute, by all processes. Default: no limit. */
  readonly callsPerMinute?: number;
  /**
   * Values of variables with secret-looking names. Masked in errors and logs, like the values of
   * `env` and `headers`.
   */
  readonly secrets?: readonly string[];
}

/** A configured server that is unusable. */
export interface InvalidServer extends Pick<ServerRules, 'name' | 'configuredName'> {
  readonly transport: 'stdio' | 'http';
  /** Problems, each beginning with the place in the file, without values. */
  readonly problems: readonly string[];
}

export function isRemote(server: ServerConfig): server is RemoteServerConfig {
  return 'url' in server;
}

/** Configuration of a model provider. */
export interface LlmConfig {
  /** Name of the provider in `provider/model`. Default: `provider`. */
  readonly name?: string;
  /** Kind of the provider. */
  readonly provider: 'openai' | 'anthropic' | 'scripted';
  /**
   * API to use. Default: `messages` for Anthropic, `responses` for api.openai.com, `chat` for
   * another base URL.
   */
  readonly wire?: 'responses' | 'chat' | 'messages' | undefined;
  /**
   * Properties of models by id, overriding the catalogue. Servers may request the models named
   * here.
   */
  readonly models?: { readonly [id: string]: CardEntry } | undefined;
  /**
   * Maximum output tokens of a message, for models without this value in `models`. Default: the
   * model's maximum.
   */
  readonly maxOutputTokens?: number | undefined;
  /** Maximum length of a tool description in characters. Default: the limit of the API, if any. */
  readonly toolDescriptionCharacters?: number | undefined;
  readonly model: string | undefined;
  readonly baseUrl: string | undefined;
  readonly apiKey: string | undefined;
  /** Environment variable of the key, for error texts. Default: the vendor's. */
  readonly keyVariable?: string;
  /** Path of a scenario file for the scripted provider. Undefined: its demo scenarios. */
  readonly scenario: string | undefined;
  /** Undefined: off. */
  readonly cassette?: CassetteConfig;
}

/** Recording or replay of requests to the model. */
export interface CassetteConfig {
  readonly mode: 'record' | 'replay';
  readonly file: string;
}

/** Export of traces by OTLP over HTTP. */
export interface TraceSettings {
  /** Address for spans, without credentials. */
  readonly url: string;
  readonly protocol: 'http/protobuf' | 'http/json';
  /** Milliseconds for one batch, retries included. Default: 2,000. */
  readonly timeoutMs: number;
  readonly sampler: SamplerSetting;
}

export interface SamplerSetting {
  /** Sampler of runs without a parent span. */
  readonly root: 'always_on' | 'always_off' | 'traceidratio';
  /** Share of the sampled traces, 0 to 1. Default: 1. */
  readonly ratio: number;
  /** Whether the decision of a client's span is kept. Default: true. */
  readonly isParentBased: boolean;
}

/** Redis that the processes of a service share. */
export interface RedisSettings {
  /** Address with user name and password, which are secrets. */
  readonly url: string;
  /** First part of the keys and channels. */
  readonly prefix: string;
}

/** A PostgreSQL database. */
export interface DatabaseConfig {
  /** Connection string. A secret: it contains the password. */
  readonly url: string;
  /** Maximum number of connections of the process, without the one for locks and signals. Default: 10. */
  readonly connections?: number | undefined;
  /** Milliseconds after which the server gives up a statement. Default: 30,000. */
  readonly statementTimeoutMs?: number | undefined;
}

export interface WebhookSettings {
  /** Networks in CIDR notation that webhooks may reach although they are not public. */
  readonly allowedNetworks?: readonly string[] | undefined;
  /** Days after their end for which deliveries are kept. Default: 7. */
  readonly retentionDays?: number | undefined;
}

/** Limits of API keys, in which a field of a key replaces that of all keys. */
export interface ConfiguredKeyLimits {
  readonly all: KeyLimits;
  readonly byName: { readonly [name: string]: KeyLimits };
}

/** A client of the REST API. */
export interface ApiKey {
  readonly name: string;
  /** A secret. */
  readonly token: string;
}

export interface Config {
  /** Default: `all`, which uses the data directory alone. */
  readonly role?: WorkerRole;
  /** Port of the probes of a worker. Undefined: a worker has no HTTP server. */
  readonly probePort?: number | undefined;
  readonly host: string;
  /** Port; 0 selects a free port. */
  readonly port: number;
  readonly dataDir: string;
  /** Database of the runs. Undefined: SQLite in the data directory. */
  readonly database?: DatabaseConfig | undefined;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
  /** Default: `text`. */
  readonly logFormat?: 'text' | 'json';
  readonly durability: 'process' | 'power';
  /**
   * Maximum number of runs that wait for their first step. Further runs are refused. Default:
   * 1,000.
   */
  readonly maxQueuedRuns?: number;
  /** Maximum number of open event streams. Default and upper bound: half of the connections. */
  readonly maxStreams?: number | undefined;
  /** Maximum number of open event streams of one run. Default: 2,000. */
  readonly maxStreamsPerRun?: number | undefined;
  /** Maximum total size of the request bodies that are being received. Default: 64 MiB. */
  readonly maxPendingBodyBytes?: number | undefined;
  /** Limits of the work that the process does at a time. Default: those of `Concurrency`. */
  readonly concurrency?: Partial<Concurrency>;
  /**
   * Days after their end for which runs are kept, by status. Runs of a missing status are kept
   * forever.
   */
  readonly retentionDays?: RetentionDays;
  readonly webhooks?: WebhookSettings;
  /** Keys of which requests need one. Empty: requests need none. */
  readonly apiKeys: readonly ApiKey[];
  /** Names of the API keys, also in a process without their tokens. `default` and `anonymous` are always among them. */
  readonly apiKeyNames: readonly string[];
  /** Origins of web pages that may use the REST API, besides the service itself. Undefined: none. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Limits of API keys. Undefined: none. */
  readonly keyLimits?: ConfiguredKeyLimits | undefined;
  /** Default model provider. */
  readonly llm: LlmConfig;
  /** Further model providers, each with a name of its own. Default: none. */
  readonly otherLlms?: readonly LlmConfig[];
  /** Set for a job queue in the PostgreSQL database. Default: in Redis, or else in memory. */
  readonly queue?: 'bullmq-postgres' | undefined;
  /** Undefined: jobs are in memory, and signals go through the store. */
  readonly redis?: RedisSettings | undefined;
  /** Undefined: traces are off. */
  readonly traces?: TraceSettings;
  /** Keys that encrypt stored secrets; the first is the current one. Undefined: those of a file in the data directory. */
  readonly secretKeys?: readonly Buffer[] | undefined;
  /** Address at which browsers reach the service, without a slash at the end. Default: its own if it is a loopback address. */
  readonly publicUrl?: string | undefined;
  readonly remoteServers?: RemoteServersSettings | undefined;
  readonly servers: readonly ServerConfig[];
  /** Servers that are listed but not used. */
  readonly invalidServers?: readonly InvalidServer[];
}

/**
 * Thrown for an unusable configuration. The message names the file, the place in it and the remedy.
 */
export class ConfigError extends Error {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ConfigError';
  }
}
