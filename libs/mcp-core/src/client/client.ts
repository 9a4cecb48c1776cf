import type { JsonObject } from '../jsonrpc/messages.ts';
import type { Transport } from '../jsonrpc/transport.ts';
import type { Era, Implementation, LoggingLevel, Progress, ProtocolVersion, ServerCapabilities } from '../protocol/capabilities.ts';
import type { CreateMessageParams, CreateMessageResult, ElicitParams, ElicitResult, Root } from '../protocol/client-features.ts';
import type { ResourceContents } from '../protocol/content.ts';
import type { Resource, ResourceTemplate, SubscriptionFilter } from '../protocol/resources.ts';
import type { CallToolResult, Tool } from '../protocol/tools.ts';

/** What a handler of a server's question gets. */
export interface QuestionContext {
  /** Aborted when the server withdraws the question or the connection ends. */
  readonly signal: AbortSignal;
  readonly meta: JsonObject;
}

/** Declared capabilities are computed from the handlers present. Throw `ProtocolError` (-1: refused) to answer with an error. */
export interface QuestionHandlers {
  readonly sample?: (params: CreateMessageParams, context: QuestionContext) => Promise<CreateMessageResult>;
  readonly elicit?: (params: ElicitParams, context: QuestionContext) => Promise<ElicitResult>;
  readonly listRoots?: (context: QuestionContext) => Promise<readonly Root[]>;
}

export interface LogEntry {
  readonly level: LoggingLevel;
  readonly logger?: string;
  readonly data: unknown;
}

export interface ClientOptions {
  readonly info: Implementation;
  readonly handlers?: QuestionHandlers;
  /** `auto` (default) detects the era with one probe; the others pin it. */
  readonly era?: 'auto' | Era;
  /** Silence after which `initialize` is also sent on the same process; default 1500 ms. */
  readonly probeTimeoutMs?: number;
  /** After this connecting fails; default 60000 ms. */
  readonly connectTimeoutMs?: number;
  /** Inactivity limit of a request, restarted by its progress and stopped while a question of the server is open; default 60000 ms, `Infinity` is none. */
  readonly requestTimeoutMs?: number;
  /** With it, a modern server is asked for messages of level `info` and above. */
  readonly onLog?: (entry: LogEntry) => void;
  readonly onToolsChanged?: () => void;
  readonly onResourcesChanged?: () => void;
  readonly onPromptsChanged?: () => void;
  /** Hears what was survived: unreadable output of the server, useless answers, failures of question handlers. */
  readonly onProblem?: (problem: Error) => void;
  /** Called once, when the connection ended for whatever reason. */
  readonly onClosed?: (error?: Error) => void;
}

export interface RequestOptions {
  /** Aborting cancels the request on the server and rejects with `request-cancelled`. */
  readonly signal?: AbortSignal;
  /** Inactivity limit, default `ClientOptions.requestTimeoutMs`. */
  readonly timeoutMs?: number;
  /** Hard limit whatever the progress, stopped only while a question of the server is open; default none. */
  readonly maxTotalMs?: number;
  /** Merged into the request's `_meta`. */
  readonly meta?: JsonObject;
  /** A progress token is always sent; every update is delivered in order and before the answer. */
  readonly onProgress?: (progress: Progress) => void;
}

/** What is known of the connected server. */
export interface ConnectedServer {
  readonly info: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
  readonly protocolVersion: ProtocolVersion;
  readonly era: Era;
}

/** A subscription; updates are delivered until `close`, the end of the connection, or the server ends it, which it may do without a reason. */
export interface Watch {
  /** The part of the filter the server honours. */
  readonly filter: SubscriptionFilter;
  close(): Promise<void>;
}

/**
 * A connected client of one server. All methods may be called concurrently. Methods reject with `ProtocolError` for the server's errors and
 * `LocalError` for ours. A `tools/call` is never sent twice.
 */
export interface Client {
  readonly server: ConnectedServer;
  /** Every tool of every page. */
  listTools(options?: RequestOptions): Promise<readonly Tool[]>;
  /** @throws LocalError `connection-lost` with `sent` when the answer can no longer come. */
  callTool(name: string, args: JsonObject, options?: RequestOptions): Promise<CallToolResult>;
  listResources(options?: RequestOptions): Promise<readonly Resource[]>;
  listResourceTemplates(options?: RequestOptions): Promise<readonly ResourceTemplate[]>;
  readResource(uri: string, options?: RequestOptions): Promise<readonly ResourceContents[]>;
  /** Legacy: one `resources/subscribe` per URI; modern: one `subscriptions/listen`. Resolves when acknowledged. */
  watch(filter: SubscriptionFilter, onUpdated: (uri: string) => void): Promise<Watch>;
  /** Resolves when the server answered something on this ordered connection: `ping` (legacy) or `server/discover` (modern). */
  ping(options?: RequestOptions): Promise<void>;
  /** Tells a legacy server that the roots changed; nothing in the modern era. */
  rootsChanged(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a transport, detects the era and returns the connected client. `open` is called again at most once, when a legacy server ends its
 * process because of the probe.
 * @throws LocalError `connect-failed`
 */
export type ConnectClient = (open: () => Promise<Transport> | Transport, options: ClientOptions) => Promise<Client>;
