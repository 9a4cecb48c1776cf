import type {
  Completion,
  CompletionReference,
  GetPromptResult,
  JsonObject,
  Prompt,
  Resource,
  ResourceContents,
  ResourceTemplate,
} from '@signalbox/mcp-core';
import type { ServerChange } from '@signalbox/mcp-core/client';

/** `subscribed`: from here on every change is told. */
export type FollowedChange = ServerChange | { readonly kind: 'subscribed' };

/** What the servers offer beside tools, and what can be done to them. */
export interface ServerDirectory {
  /** `undefined` for a name that is not configured. */
  server(name: string): ServerFeatures | undefined;
  /** `undefined` for a name that is not configured. */
  control(name: string): ServerControl | undefined;
}

/** What the person who runs the service can do to one server. */
export interface ServerControl {
  /** Connects anew: `graceful`, when no call is in flight any more and without new ones until then; `now` loses the calls in flight. Returns at once. */
  reconnect(mode: 'graceful' | 'now'): void;
  /** Takes no new calls and ends when none is in flight any more (`graceful`), or `now`, until `reconnect`. Returns at once. */
  drain(mode: 'graceful' | 'now'): void;
  /** The pinned definitions of its tools, by their names. */
  pins(): Promise<readonly PinnedTool[]>;
  /**
   * Accepts the changed definition of a tool; nothing when it has not changed. With `digest`, only if that definition is still the present one. Resolves with whether there is such a tool.
   * @throws DefinitionChangedError
   */
  approve(tool: string, digest?: string): Promise<boolean>;
  /**
   * Accepts the changed definitions of all its quarantined tools, or of those named, all or none. Resolves with the names of the tools that were quarantined.
   * @throws UnknownToolError, DefinitionChangedError
   */
  approveTools(tools: 'all' | readonly ToolApproval[]): Promise<readonly string[]>;
  /** Takes the place of its roots, until the service ends. Resolves when the server has been told, or will be. */
  setRoots(paths: readonly string[]): Promise<void>;
}

export interface ToolApproval {
  readonly tool: string;
  /** Of the definition that was looked at; another one is refused. */
  readonly digest?: string | undefined;
}

export interface PinnedTool {
  readonly tool: string;
  /** SHA-256 of the pinned definition, in hex. */
  readonly digest: string;
  readonly firstSeenAt: number;
  /** When it took the place of an earlier one. */
  readonly acceptedAt: number | undefined;
  /** The definition that waits for approval. */
  readonly quarantined?: {
    readonly digest: string;
    readonly changed: readonly string[];
    readonly definition: JsonObject;
  };
}

/** The server has no tool of that name. */
export class UnknownToolError extends Error {
  readonly tool: string;

  constructor(server: string, tool: string) {
    super(`the server ${server} has no tool called ${JSON.stringify(tool)}`);
    this.name = 'UnknownToolError';
    this.tool = tool;
  }
}

/** The definition that was to be approved is not the present one. */
export class DefinitionChangedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DefinitionChangedError';
  }
}

/**
 * What can be asked of one server while no run is about it. Nobody is there to answer the server's own questions: it is told so.
 * Every method rejects with `ServerUnavailableError` while the server is not ready, and with `ServerRefusedError` for the server's own errors.
 */
export interface ServerFeatures {
  readonly capabilities: JsonObject | undefined;
  resources(): Promise<readonly Resource[]>;
  resourceTemplates(): Promise<readonly ResourceTemplate[]>;
  readResource(uri: string): Promise<readonly ResourceContents[]>;
  prompts(): Promise<readonly Prompt[]>;
  getPrompt(name: string, args: { readonly [name: string]: string }): Promise<GetPromptResult>;
  complete(
    reference: CompletionReference,
    argument: { readonly name: string; readonly value: string },
    chosen: { readonly [name: string]: string },
  ): Promise<Completion>;
  /**
   * Changes of these resources and of the server's lists until `signal` aborts, also over restarts of the server: each time `subscribed`, and after a restart
   * `missed`, because anything may have changed.
   */
  changes(uris: readonly string[], signal: AbortSignal): AsyncIterable<FollowedChange>;
}

/** The server is not connected; the message says why. */
export class ServerUnavailableError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ServerUnavailableError';
  }
}

/** The server answered with an error, or not as it should. */
export class ServerRefusedError extends Error {
  readonly isNotFound: boolean;

  constructor(message: string, options: { readonly cause: unknown; readonly isNotFound: boolean }) {
    super(message, { cause: options.cause });
    this.name = 'ServerRefusedError';
    this.isNotFound = options.isNotFound;
  }
}
