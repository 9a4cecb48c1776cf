import type { JsonObject, JsonRpcRequest } from '../jsonrpc/messages.ts';
import type { ResultOrError } from '../jsonrpc/responses.ts';
import type { Transport } from '../jsonrpc/transport.ts';
import type { CustomCapabilities } from '../protocol/capabilities.ts';
import type { Implementation } from '../protocol/implementation.ts';
import type { LoggingLevel } from '../protocol/logging-levels.ts';
import type { Tool } from '../protocol/tools.ts';
import type { LegacySession } from './connection/legacy-session.ts';
import type { MethodDefinition, NotificationHandler } from './extensions/custom-methods.ts';
import type { ServerMiddleware } from './extensions/middleware.ts';
import type { RequestStateOptions } from './input/request-state.ts';
import type { PromptDefinition } from './prompts/prompt.ts';
import type { RequestLink } from './requests/request-link.ts';
import type { ResourceWatcher } from './resources/defined-resources.ts';
import type { ResourceDefinition, ResourceTemplateDefinition } from './resources/resource.ts';
import type { ResourceProvider } from './resources/resource-provider.ts';
import type { ChangeHub } from './subscriptions/change-hub.ts';
import type { ServerTaskOptions } from './tasks/task-options.ts';
import type { ToolDefinition } from './tools/tool.ts';

/** Identity and features of a server, and how it serves them. */
export interface ServerOptions {
  readonly info: Implementation;
  readonly instructions?: string | undefined;
  /** Listed sorted by name, in every era and for every client alike. */
  readonly tools?: readonly ToolDefinition[] | undefined;
  /** Listed sorted by name, in every era and for every client alike. */
  readonly prompts?: readonly PromptDefinition[] | undefined;
  /** Definitions, listed sorted by URI, or a provider of resources that are not known in advance. */
  readonly resources?: readonly ResourceDefinition[] | ResourceProvider | undefined;
  /** The first template that matches a URI and finds the resource serves it. */
  readonly templates?: readonly ResourceTemplateDefinition[] | undefined;
  readonly extensions?: ServerExtensions | undefined;
  readonly events?: ServerEvents | undefined;
  readonly settings?: ServerSettings | undefined;
}

/** The parts of a server that the specification leaves to it. */
export interface ServerExtensions {
  /** Capabilities beyond those of the other options, advertised in `initialize` and `server/discover`. */
  readonly capabilities?: CustomCapabilities | undefined;
  /** Runs around every request, also of unknown methods, the first outermost. Default: none, which costs nothing. */
  readonly middleware?: readonly ServerMiddleware[] | undefined;
  /** Methods that the specification does not define, by name. `defineMethod` infers their types. */
  readonly methods?: { readonly [name: string]: MethodDefinition } | undefined;
  /** Handlers of custom notifications of the client, by name; `*` is that of all other names. Over HTTP, notifications belong to legacy sessions. */
  readonly notifications?: { readonly [name: string]: NotificationHandler } | undefined;
}

/** Callbacks of a server. */
export interface ServerEvents {
  /** Called when a legacy session is initialized and after each `roots/list_changed`; later requests of the session wait for the returned promise. */
  readonly onLegacySession?: ((session: LegacySession) => Promise<void> | void) | undefined;
  /** Called with each failure whose details the client does not receive. Default: one line on stderr. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Settings that few servers need. */
export interface ServerSettings {
  readonly lists?: ListOptions | undefined;
  readonly limits?: ServerLimits | undefined;
  /**
   * Subscriptions to `resources` and `templates`: `true` when updates are published through `Server.changes` regardless of subscribers; a function attaches
   * a watcher. Only readable resources can be subscribed. Default: not declared.
   */
  readonly resourceSubscriptions?: true | ResourceWatcher | undefined;
  /**
   * Storage and limits of tasks. Required, at least as `{}`, if tools with tasks are added only
   * later.
   */
  readonly tasks?: ServerTaskOptions | undefined;
  /** Sealing of the `requestState` of modern requests that require input. */
  readonly requestState?: RequestStateOptions | undefined;
}

/** The lists of tools, prompts and resources. */
export interface ListOptions {
  /** Whether the lists never change: `listChanged` is then not declared, and `setTools`, `setPrompts`, `setResources` and `setTemplates` throw. Default false. */
  readonly areFixed?: boolean | undefined;
  /** Number of entries on a page of a list. Default: all on one page. */
  readonly pageSize?: number | undefined;
}

/** Limits of a server. */
export interface ServerLimits {
  /** Shortest time between two progress notifications of a request in milliseconds; an update in between is replaced by a later one. Default 100; 0 sends every update while the client reads. */
  readonly progressIntervalMs?: number | undefined;
  /** Number of finished calls with a `dev.signalbox/idempotency-key` whose results are stored. Default 1000. Results are stored for ten minutes, at most 16 MiB in all. */
  readonly idempotencyEntries?: number | undefined;
}

/** A server without a transport; it may serve any number of connections at once. */
export interface Server {
  readonly changes: ChangeHub;
  /** Sends a log message to every legacy session whose level allows it. */
  log(level: LoggingLevel, data: unknown, logger?: string): void;
  /**
   * Sends a custom notification to every legacy session. Modern clients receive notifications only of their requests: `RequestContext.notify`.
   * @throws Error for a notification that the specification defines
   */
  notify(method: string, params?: JsonObject): void;
  /**
   * Tells the client of a URL elicitation that the interaction is complete. The id is the `elicitationId` of `context.elicit`, or of an error -32042. Returns
   * false for an id that no session knows, or that is complete already; only clients of 2025-11-25 can be told.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#completion-notifications-for-url-mode-elicitation
   */
  completeElicitation(elicitationId: string): boolean;
  /** Serves one client of either era. Resolves when the connection is open. */
  connect(transport: Transport): Promise<ServerConnection>;
  /** Serves one standalone request: a modern request, or a legacy request outside any session; synchronously when its handler is. Never throws or rejects. */
  handle(request: JsonRpcRequest, link: RequestLink): ResultOrError | Promise<ResultOrError>;
  /**
   * Aborts the handlers of running tasks and ends these tasks as failed. Resolves when that is stored, or after 500 ms. `serveStdio` and the listener of
   * `serveHttp` call it; call it yourself before the process ends when you serve otherwise.
   */
  stopTasks(): Promise<void>;
  /** Returns the OAuth scopes that a request needs: those of the tool that it calls. */
  requiredScopes(request: JsonRpcRequest): readonly string[];
  /** Returns a tool as it is currently published. */
  tool(name: string): Tool | undefined;
  /** Replaces all tools and publishes the change; running calls keep their definition. @throws Error as `createServer`, without any change */
  setTools(tools: readonly ToolDefinition[]): void;
  /**
   * Replaces all prompts and publishes the change. Completion must have been declared at the start: by an empty list of prompts or templates, or by a
   * completer.
   * @throws Error as `createServer`, and for a completer where completion was not declared; without any change
   */
  setPrompts(prompts: readonly PromptDefinition[]): void;
  /**
   * Replaces all resources and publishes the change.
   * @throws Error as `createServer`, and for a server without resources or with a provider; without any change
   */
  setResources(resources: readonly ResourceDefinition[]): void;
  /** Replaces all resource templates and publishes the change. Completion must have been declared as for `setPrompts`. @throws Error as `setResources` and `setPrompts` */
  setTemplates(templates: readonly ResourceTemplateDefinition[]): void;
}

/** A connection of a server to one client. */
export interface ServerConnection {
  /** Resolves when the client has disconnected and every handler's signal has aborted. */
  readonly closed: Promise<void>;
  /**
   * Ends listen streams gracefully, within 400 ms, then closes the connection and aborts the running handlers. Resolves when the handlers have ended, or
   * 100 ms after the abort. Idempotent.
   */
  close(): Promise<void>;
}

/** A server that is being served over a transport, by `serveStdio` or `serveHttp`. It owns the server: its end stops the tasks. */
export interface ServerListener {
  /** Resolves when all work has stopped, after `close` or after the end of the transport. */
  readonly closed: Promise<void>;
  /** Ends listen streams in good order, aborts the handlers that still run after a short wait, and stops the tasks. Resolves with `closed`. Idempotent. */
  close(): Promise<void>;
}
