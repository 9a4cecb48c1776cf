import type { JsonObject } from '../jsonrpc/messages.ts';
import type { Transport } from '../jsonrpc/transport.ts';
import type { Era, ProtocolVersion } from '../era/versions.ts';
import type { Implementation } from '../protocol/implementation.ts';
import type { LoggingLevel } from '../protocol/logging-levels.ts';
import type { ServerCapabilities } from '../protocol/capabilities.ts';
import type { CompleteParams, Completion, CompletionReference } from '../protocol/completion.ts';
import type { ResourceContents } from '../protocol/content.ts';
import type { GetPromptResult, Prompt } from '../protocol/prompts.ts';
import type { Resource, ResourceTemplate, SubscriptionFilter } from '../protocol/resources.ts';
import type { CallToolResult, Tool } from '../protocol/tools.ts';
import type { ClientOptions, RequestOptions } from './client-options.ts';
import type { ClientTasks } from './tasks/client-tasks.ts';

/** What is known of the connected server. */
export interface ConnectedServer {
  readonly info: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
  readonly protocolVersion: ProtocolVersion;
  /** Can be given back as `ClientOptions.knownEra`. */
  readonly era: Era;
}

/**
 * A subscription; updates are delivered until `close` or the server ends it, which it may do without a reason. A modern stream that breaks is opened
 * again and `reconnect` restores every watch; both tell `onUpdated` each watched URI, because changes may have been missed.
 */
export interface Watch {
  /** The part of the filter the server honours. */
  readonly filter: SubscriptionFilter;
  /** Resolves when nothing more will be delivered: without a value when it was closed here, else with the reason. Never rejects. */
  readonly ended: Promise<Error | undefined>;
  /** Idempotent. */
  close(): Promise<void>;
}

/** What a server tells of. `missed`: there were too many changes to keep, or a connection was restored; anything may have changed. */
export type ServerChange =
  | { readonly kind: 'tools' | 'prompts' | 'resources' | 'missed' }
  | { readonly kind: 'resource'; readonly uri: string };

/**
 * The changes that match a filter, for one reader. It subscribes when it is read for the first time; `return`, which leaving a `for await` calls, ends
 * the subscription. What waits is held once, however often it changed. It ends when the client closes or the server ends the subscription.
 */
export interface ServerChanges extends AsyncIterableIterator<ServerChange> {
  return(): Promise<IteratorResult<ServerChange>>;
}

/**
 * A connected client of one server. All methods may be called concurrently. Methods reject with `ProtocolError` for the server's errors and
 * `LocalError` for ours. A `tools/call` that may have been executed is never sent twice: only an answer that proves that it was not (-32020, -32022,
 * -32601 of a tool that must be called as a task, and -32042 after a person agreed to the visits) leads to a second one, and a question of the server (`input_required`) to the retry that it asks for.
 */
export interface Client {
  /** Of the current connection. */
  readonly server: ConnectedServer;
  /** Every tool of every page. Over HTTP, without those whose `x-mcp-header` annotations are invalid, of which `onProblem` hears. */
  listTools(options?: RequestOptions): Promise<readonly Tool[]>;
  /**
   * Over HTTP, the annotated arguments of a tool known from `listTools` travel as headers too.
   * @throws LocalError `connection-lost` with `sent` when the answer can no longer come; `input-refused` when a question of the server was refused;
   *   `invalid-response` when the structured content does not fit the tool's output schema.
   */
  callTool(name: string, args: JsonObject, options?: RequestOptions): Promise<CallToolResult>;
  /** Calls that went on as tasks. `callTool` waits for them by itself. */
  readonly tasks: ClientTasks;
  listPrompts(options?: RequestOptions): Promise<readonly Prompt[]>;
  /** @throws LocalError `input-refused` */
  getPrompt(
    name: string,
    args?: { readonly [name: string]: string },
    options?: RequestOptions,
  ): Promise<GetPromptResult>;
  /** Values for an argument of a prompt or of a URI template, given what was typed and chosen before. */
  complete(
    ref: CompletionReference,
    argument: CompleteParams['argument'],
    options?: CompleteOptions,
  ): Promise<Completion>;
  listResources(options?: RequestOptions): Promise<readonly Resource[]>;
  listResourceTemplates(options?: RequestOptions): Promise<readonly ResourceTemplate[]>;
  /** @throws ResourceNotFoundError; LocalError `input-refused` */
  readResource(uri: string, options?: RequestOptions): Promise<readonly ResourceContents[]>;
  /** Legacy: one `resources/subscribe` per URI; modern: one `subscriptions/listen`. Resolves when acknowledged. */
  watch(filter: SubscriptionFilter, onUpdated: (uri: string) => void): Promise<Watch>;
  /** Default filter: every list the server announces changes of. */
  changes(filter?: SubscriptionFilter): ServerChanges;
  /** Least severe log message wanted from here on: of the session (legacy), of each later request (modern). */
  setLogLevel(level: LoggingLevel, options?: RequestOptions): Promise<void>;
  /** Resolves when the server answered something on this ordered connection: `ping` (legacy) or `server/discover` (modern). */
  ping(options?: RequestOptions): Promise<void>;
  /** Tells a legacy server that the roots changed; nothing in the modern era. */
  rootsChanged(): Promise<void>;
  /**
   * Opens a new connection in the place of one that has ended, and restores subscriptions and the log level; nothing while the connection lives.
   * Concurrent calls share one attempt. Nothing that was lost is sent again.
   * @throws LocalError `connect-failed`, after which it may be tried again; `connection-closed` after `close`
   */
  reconnect(): Promise<void>;
  /** For good; idempotent. */
  close(): Promise<void>;
}

export interface CompleteOptions extends RequestOptions {
  /** Arguments that were chosen before. */
  readonly chosen?: { readonly [name: string]: string };
}

/**
 * Opens a transport, detects the era and returns the connected client. `open` is called again when a server ended its process because of the probe,
 * and whenever the client needs a new connection: by `reconnect`, or because the server has forgotten the session.
 * @throws LocalError `connect-failed`
 */
export type ConnectClient = (
  open: () => Promise<Transport> | Transport,
  options: ClientOptions,
) => Promise<Client>;
