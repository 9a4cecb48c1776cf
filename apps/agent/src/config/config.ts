import type { CardEntry } from '../llm/catalogue/card-schema.ts';

/** How one MCP server is reached and how far it is trusted; `signalbox` holds what other hosts do not know. */
export type ServerConfig = StdioServerConfig | RemoteServerConfig;

/** A server that is started as a child process. */
export interface StdioServerConfig extends ServerRules {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string };
  readonly cwd: string | undefined;
}

/** A server that runs elsewhere. */
export interface RemoteServerConfig extends ServerRules {
  /** `http`: Streamable HTTP; `sse`: HTTP+SSE of 2024-11-05; `auto`: the first, and the second where that is refused. */
  readonly transport: 'http' | 'sse' | 'auto';
  /** Without user name and password: these are in `headers`. */
  readonly url: string;
  /** Sent with every request. Their values are secrets, like those in the URL's query. */
  readonly headers: { readonly [name: string]: string };
}

/** What is the same for servers of every kind. */
export interface ServerRules {
  /** Begins the wire names of its tools: 1 to 32 letters, digits, `-` and `_`. */
  readonly name: string;
  /** Its name as the configuration has it, where that is another one. */
  readonly configuredName?: string;
  /** Whether its tool hints are believed; default false. */
  readonly trust: boolean;
  /** Patterns of tool names offered to the model (`*` matches any run of characters); all when empty. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  /** Directories told to the server as roots. */
  readonly roots: readonly string[];
  readonly era: 'auto' | 'legacy' | 'modern';
  /** For tools that no entry of `approvals` is about. Default: `auto` for read-only tools of a trusted server, else `ask`. */
  readonly approval: 'default' | 'auto' | 'ask' | 'deny';
  /** By patterns of tool names; the first that matches counts. */
  readonly approvals?: readonly {
    readonly tools: string;
    readonly policy: 'auto' | 'ask' | 'deny';
  }[];
  /** What happens to its sampling requests; default `ask`. */
  readonly sampling: 'auto' | 'ask' | 'deny';
  /** Whether a person sees what the model replied before the server does; default false. */
  readonly samplingReview?: boolean;
  /** The longest message of the server that is read, in bytes; default 4 MiB. */
  readonly maxMessageBytes?: number;
  /** The processes or sessions that may be open at a time; default 4. With 1 there is never a second one. */
  readonly connections?: number;
  /** Milliseconds the server has to connect; default 60,000. */
  readonly connectMs?: number;
  /** Values taken from variables with secret-looking names; masked, like those of `env` and `headers`, in errors and logs. */
  readonly secrets?: readonly string[];
}

/** A configured server that cannot be used. */
export interface InvalidServer extends Pick<ServerRules, 'name' | 'configuredName'> {
  readonly transport: 'stdio' | 'http';
  /** Each begins with the place in the file; quotes no value. */
  readonly problems: readonly string[];
}

export function isRemote(server: ServerConfig): server is RemoteServerConfig {
  return 'url' in server;
}

export interface LlmConfig {
  readonly provider: 'openai' | 'anthropic' | 'scripted';
  /** The API that is spoken. Default: `messages` for Anthropic, `responses` at api.openai.com, `chat` at another base URL. */
  readonly wire?: 'responses' | 'chat' | 'messages' | undefined;
  /** What is known of models, by id, over what the catalogue says; a server may ask for the models named here. */
  readonly models?: { readonly [id: string]: CardEntry } | undefined;
  /** Most output tokens of one message, for models whose entry in `models` does not say; default what the model can write. */
  readonly maxOutputTokens?: number | undefined;
  /** Longest description of a tool that is sent to the model, in characters; default the limit of the API, where it has one. */
  readonly toolDescriptionCharacters?: number | undefined;
  readonly model: string | undefined;
  readonly baseUrl: string | undefined;
  readonly apiKey: string | undefined;
  /** Path of a scenario file for the scripted provider; its demos when undefined. */
  readonly scenario: string | undefined;
  /** Off when undefined. */
  readonly cassette?: CassetteConfig;
}

/** Requests to the model and its answers, written to a file or taken from one. */
export interface CassetteConfig {
  readonly mode: 'record' | 'replay';
  readonly file: string;
}

export interface Config {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly dataDir: string;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
  /** Default `text`. */
  readonly logFormat?: 'text' | 'json';
  readonly durability: 'process' | 'power';
  /** Runs that may wait for their first step before new ones are refused; default 1,000. */
  readonly maxQueuedRuns?: number;
  readonly token: string | undefined;
  readonly llm: LlmConfig;
  readonly servers: readonly ServerConfig[];
  /** Servers that are shown but not used. */
  readonly invalidServers?: readonly InvalidServer[];
}

/** The configuration cannot be used; the message names the file, the place in it and the remedy. */
export class ConfigError extends Error {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ConfigError';
  }
}
