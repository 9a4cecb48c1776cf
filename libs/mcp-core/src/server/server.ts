import type { JsonObject, JsonRpcRequest } from '../jsonrpc/messages.ts';
import type { ResultOrError } from '../jsonrpc/responses.ts';
import type { AuthContext, Transport } from '../jsonrpc/transport.ts';
import type { Implementation } from '../protocol/implementation.ts';
import type { LoggingLevel } from '../protocol/logging-levels.ts';
import type { ProtocolVersion } from '../era/versions.ts';
import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
} from '../protocol/resources.ts';
import type { Root } from '../protocol/client-features.ts';
import type { Tool } from '../protocol/tools.ts';
import type { CompletionInput, CompletionOutput } from './completion.ts';
import type { InteractiveContext, RequestContext } from './requests/request-context.ts';
import type { PromptDefinition } from './prompts/prompt.ts';
import type { RequestStateOptions } from './input/request-state.ts';
import type { ServerTaskOptions } from './tasks/task-engine.ts';
import type { ToolDefinition } from './tools/tool.ts';

/** A legacy session a server may look at outside a request; there is none in the modern era. */
export interface LegacySession {
  readonly signal: AbortSignal;
  readonly clientInfo: Implementation | undefined;
  /** Cached until the client says its roots changed. `undefined` when the client has no roots capability. Rejects after `timeoutMs` (default 2000). */
  listRoots(options?: { readonly timeoutMs?: number }): Promise<readonly Root[] | undefined>;
}

/** A variable of a URI template, with what was typed so far. */
export interface TemplateVariable {
  readonly uriTemplate: string;
  readonly name: string;
  readonly value: string;
}

/** `createResources` makes one from definitions. */
export interface ResourceProvider {
  list(cursor: string | undefined, context: RequestContext): Promise<ListResourcesResult>;
  listTemplates?(
    cursor: string | undefined,
    context: RequestContext,
  ): Promise<ListResourceTemplatesResult>;
  /** @throws ResourceNotFoundError */
  read(uri: string, context: InteractiveContext): Promise<ReadResourceResult>;
  /**
   * Attaches a watcher for one subscriber of `uri`, before the subscription is acknowledged; the returned function detaches it.
   * Throw to refuse. Called once per (subscriber, uri), so reference counting is the provider's.
   */
  subscribe?(uri: string, context: RequestContext): Promise<() => Promise<void> | void>;
  /** @throws ProtocolError -32602 for a template or variable that does not exist. */
  complete?(
    variable: TemplateVariable,
    input: CompletionInput,
  ): Promise<CompletionOutput> | CompletionOutput;
}

export interface ServerOptions {
  readonly info: Implementation;
  readonly instructions?: string;
  /** Listed sorted by name, in every era and to every client alike. */
  readonly tools?: readonly ToolDefinition[];
  /** Listed sorted by name, in every era and to every client alike. */
  readonly prompts?: readonly PromptDefinition[];
  readonly resources?: ResourceProvider;
  /** Whether the lists of tools, prompts and resources never change: `listChanged` is not declared then, and `setTools` and `setPrompts` throw. Default false. */
  readonly hasFixedLists?: boolean;
  /** Tools, and prompts, on a page of their lists; without it all are on one. */
  readonly pageSize?: number;
  /** Called when a legacy session is initialized and again after each `roots/list_changed`; requests of that session wait for its promise. */
  readonly onLegacySession?: (session: LegacySession) => Promise<void> | void;
  /** Called with each failure that the peer is not told in detail. Default: one line on stderr. */
  readonly onError?: (error: unknown) => void;
  /** The number of finished calls with a `dev.signalbox/idempotency-key` whose results are kept for replay. Default 1000. Results are kept for ten minutes and have at most 16 MiB together. */
  readonly idempotencyEntries?: number;
  /** Where and how long tasks are kept. A server whose first tools can become tasks has them without it; one that gets such tools later needs it, if only as `{}`. */
  readonly tasks?: ServerTaskOptions;
  /** Shortest time between two progress notifications of a request, in milliseconds; what comes between is replaced by what follows. Default 100; 0 sends each one while the client reads. */
  readonly progressIntervalMs?: number;
  /** How the state of a modern request that asked its client is sealed. */
  readonly requestState?: RequestStateOptions;
}

/** Where a server publishes changes; every subscribed session and listen stream hears them. */
export interface ChangeHub {
  toolsChanged(): void;
  promptsChanged(): void;
  resourcesChanged(): void;
  resourceUpdated(uri: string): void;
}

/** What a request that came without a connection knows of its transport. */
export interface RequestLink {
  /** Aborts when the client gives the request up. */
  readonly signal: AbortSignal;
  readonly auth?: AuthContext;
  /** Sends a notification that belongs to the request, in call order, before its answer. Resolves when more can be taken. */
  notify(method: string, params: JsonObject): Promise<void>;
  /** Aborts when the server shuts down: a subscription then ends in good order. */
  readonly ended?: AbortSignal;
  /** Serves a legacy request outside any session in this revision: nothing can be asked of its client, nothing subscribed. */
  readonly legacyVersion?: ProtocolVersion;
}

/** A server without a transport; it may serve any number of connections at once. */
export interface Server {
  readonly changes: ChangeHub;
  /** Log to every legacy session whose level lets it through. */
  log(level: LoggingLevel, data: unknown, logger?: string): void;
  /** Serves one peer, both eras; resolves with the connection when it is listening. */
  connect(transport: Transport): Promise<ServerConnection>;
  /** Serves one request that stands alone: a modern one, or a legacy one outside any session. Never rejects. */
  handle(request: JsonRpcRequest, link: RequestLink): Promise<ResultOrError>;
  /** Aborts the handlers of running tasks and ends these tasks as failed; resolves when that is stored, or after 500 ms. `serveStdio` and the listener of `serveHttp` call it at their end; who serves otherwise calls it when the process is about to end. */
  stopTasks(): Promise<void>;
  /** A tool as it is published at the moment. */
  tool(name: string): Tool | undefined;
  /** Replaces all tools at once and publishes the change; calls that run keep their definition. @throws Error as `createServer`, changing nothing. */
  setTools(tools: readonly ToolDefinition[]): void;
  /**
   * Replaces all prompts at once and publishes the change. Completion is declared once: by a first list that is empty or has a completer, or by resources that complete.
   * @throws Error as `createServer`, and for the first completer where completion was not declared; nothing is changed then.
   */
  setPrompts(prompts: readonly PromptDefinition[]): void;
}

export interface ServerConnection {
  /** Resolves when the peer is gone and every handler has been told to stop. */
  readonly closed: Promise<void>;
  /**
   * Ends listen streams with their results, which takes at most 400 ms, then the connection, and aborts the running handlers.
   * Resolves when they have ended, or 100 ms after they were aborted. Idempotent.
   */
  close(): Promise<void>;
}
