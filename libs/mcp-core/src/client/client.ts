import type { JsonObject } from '../jsonrpc/messages.ts';
import type { LoggingLevel } from '../protocol/logging-levels.ts';
import type { CompleteParams, Completion, CompletionReference } from '../protocol/completion.ts';
import type { ResourceContents } from '../protocol/content.ts';
import type { GetPromptResult, Prompt } from '../protocol/prompts.ts';
import type { Resource, ResourceTemplate } from '../protocol/resources.ts';
import type { CallToolResult, JsonSchema, Tool } from '../protocol/tools.ts';
import type { SchemaOutput, StandardSchema } from '../schema/standard-schema.ts';
import type { CacheHints } from './caching/cache-hints.ts';
import type { CustomRequestOptions, RequestOptions } from './client-options.ts';
import type { ChangeHandlers } from './subscriptions/change-handlers.ts';
import type { ListPages } from './requests/lists.ts';
import type { Watch } from './subscriptions/watches.ts';
import type { ClientTasks } from './tasks/client-tasks.ts';
import type { ConnectedServer } from './versioning/connected-server.ts';

/**
 * A connected client of one server. All methods may be called concurrently. Methods reject with `ProtocolError` for errors of the server and with
 * `LocalError` for local failures. A `tools/call` that may have been executed is never sent twice. It is sent again only after an error that proves that the
 * tool did not run (-32020, -32022, -32601 of a tool that must be called as a task, and -32042 after the user accepted the URLs), and with the responses
 * after an `input_required` result.
 */
export interface Client {
  readonly server: ConnectedServer;
  /** Returns the tools of all pages. Over HTTP, tools with invalid `x-mcp-header` annotations are left out and reported to `onProblem`. */
  listTools(options?: RequestOptions): Promise<readonly Tool[]>;
  /**
   * Calls a tool. Over HTTP, the annotated arguments of a tool that `listTools` returned are also sent as headers.
   * @throws LocalError `connection-lost` with `sent` when the response was lost; `input-refused` when an input request was refused;
   *   `invalid-response` when the structured content does not fit the tool's output schema.
   */
  callTool(name: string, args: JsonObject, options?: RequestOptions): Promise<CallToolResult>;
  /** The calls that became tasks. `callTool` waits for its own task. */
  readonly tasks: ClientTasks;
  /** The lists page by page, for lists that are too long to hold or when the first matches suffice. `listTools` and its like return all pages. */
  readonly pages: ListPages;
  /** Lists all prompts, on all pages. */
  listPrompts(options?: RequestOptions): Promise<readonly Prompt[]>;
  /** Fetches a prompt with its arguments filled in. @throws LocalError `input-refused` */
  getPrompt(
    name: string,
    args?: { readonly [name: string]: string },
    options?: RequestOptions,
  ): Promise<GetPromptResult>;
  /** Returns suggestions for an argument of a prompt or a variable of a URI template. */
  complete(
    ref: CompletionReference,
    argument: CompleteParams['argument'],
    options?: CompleteOptions,
  ): Promise<Completion>;
  /** Lists all resources, on all pages. */
  listResources(options?: RequestOptions): Promise<readonly Resource[]>;
  /** Lists all resource templates, on all pages. */
  listResourceTemplates(options?: RequestOptions): Promise<readonly ResourceTemplate[]>;
  /** Reads the contents of a resource. @throws ResourceNotFoundError; LocalError `input-refused` */
  readResource(uri: string, options?: ReadResourceOptions): Promise<readonly ResourceContents[]>;
  /**
   * Sends a request with any method, for extensions of the specification. A method of the specification is sent as it is, without the checks and the cache of
   * its own function, but with its input rounds, and with a result in the shape of 2026-07-28. In the modern era the params get the `_meta` that every request needs.
   * @throws LocalError `invalid-argument` for `initialize` and `subscriptions/listen`; `method-not-in-era` for a method that the specification defines for
   *   other revisions; `invalid-response` when the result does not fit `options.result`
   */
  request<const Schema extends JsonSchema | StandardSchema = { readonly type: 'object' }>(
    method: string,
    params?: JsonObject,
    options?: CustomRequestOptions<Schema>,
  ): Promise<SchemaOutput<Schema>>;
  /**
   * Sends a notification that the specification does not define.
   * @throws LocalError `invalid-argument` for a name of the specification; `method-not-in-era` over HTTP in the modern era, whose servers take no
   *   notifications; `connection-lost`
   */
  notify(method: string, params?: JsonObject): Promise<void>;
  /**
   * Subscribes to the changes that have a handler, in every era: by notifications and one `resources/subscribe` per URI (legacy), or by one
   * `subscriptions/listen` (modern). Resolves when the server has acknowledged it; without a request when the server announces none of these changes.
   */
  watch(handlers: ChangeHandlers): Promise<Watch>;
  /** Sets the least severe level of log messages: of the session (legacy) or of each later request (modern). */
  setLogLevel(level: LoggingLevel, options?: RequestOptions): Promise<void>;
  /** Resolves when the server has responded to `ping` (legacy) or `server/discover` (modern). */
  ping(options?: RequestOptions): Promise<void>;
  /** Notifies a legacy server that the roots changed; does nothing in the modern era. */
  rootsChanged(): Promise<void>;
  /**
   * Replaces a connection that has ended, and restores subscriptions and the log level. Does nothing while the connection is open. Concurrent calls share
   * one attempt. Lost requests are not sent again.
   * @throws LocalError `connect-failed`, after which it may be called again; `connection-closed` after `close`
   */
  reconnect(): Promise<void>;
  /** Closes the client permanently. Idempotent. */
  close(): Promise<void>;
}

/** Options of `Client.complete`. */
export interface CompleteOptions extends RequestOptions {
  /** The values of the other arguments that were chosen before. */
  readonly chosen?: { readonly [name: string]: string } | undefined;
}

/** Options of `Client.readResource`. */
export interface ReadResourceOptions extends RequestOptions {
  /** Called before the contents are returned, when the server said how long they may be reused: from 2026-07-28 on. */
  readonly onCacheHints?: ((hints: CacheHints) => void) | undefined;
}
