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

/**
 * A change on a server: of a list, or of a resource. `subscribed`: every change from here on is
 * reported. `missed`: changes were lost, so anything may have changed.
 */
export type FollowedChange =
  | { readonly kind: 'tools' | 'prompts' | 'resources' | 'subscribed' | 'missed' }
  | { readonly kind: 'resource'; readonly uri: string };

/** Features of the servers other than tools, and commands to servers. */
export interface ServerDirectory {
  /** Returns `undefined` for a server that is not configured. */
  server(name: string): ServerFeatures | undefined;
  /** Returns `undefined` for a server that is not configured. */
  control(name: string): ServerControl | undefined;
}

/** Operator commands for one server. */
export interface ServerControl {
  /**
   * Reconnects and does not wait for it. `graceful`: accepts no new calls and waits for those in flight;
   * `now`: loses those in flight.
   */
  reconnect(mode: 'graceful' | 'now'): Promise<void>;
  /**
   * Accepts no new calls and ends the server until `reconnect`, once no call is in flight
   * (`graceful`) or `now`. Does not wait for its end.
   */
  drain(mode: 'graceful' | 'now'): Promise<void>;
  /**
   * Returns the last 200 lines of the log of the server since the start of this process, oldest first.
   * @throws NotConnectedHereError
   */
  log(): Promise<readonly ServerLogLine[]>;
  /** Returns the pinned definitions of the server's tools, by name. */
  pins(): Promise<readonly PinnedTool[]>;
  /**
   * Accepts the changed definition of a tool. With `digest`, only if it is the current definition.
   * Resolves with whether the tool exists.
   * @throws DefinitionChangedError
   */
  approve(tool: string, digest?: string): Promise<boolean>;
  /**
   * Accepts the changed definitions of all quarantined tools or of the named tools, all or none.
   * Resolves with the names of the tools that were quarantined.
   * @throws UnknownToolError, DefinitionChangedError
   */
  approveTools(tools: 'all' | readonly ToolApproval[]): Promise<readonly string[]>;
  /** Compares the tools with the pins again, after another process approved a changed tool. */
  compareWithPins(): Promise<void>;
  /**
   * Replaces the server's roots until the service ends. Resolves when the server is notified, or
   * will be at its next start.
   */
  setRoots(paths: readonly string[]): Promise<void>;
}

/** A line that a server wrote to stderr or sent as a log message, or a message of the service about the server. */
export interface ServerLogLine {
  readonly at: number;
  readonly level: 'debug' | 'info' | 'warn';
  /** At most 2,000 characters, without the secrets of the server. */
  readonly text: string;
}

export interface ToolApproval {
  readonly tool: string;
  /** Digest of the reviewed definition. A different current definition is refused. */
  readonly digest?: string | undefined;
}

export interface PinnedTool {
  readonly tool: string;
  /** SHA-256 of the pinned definition, in hex. */
  readonly digest: string;
  readonly firstSeenAt: number;
  /** Time at which the definition replaced an earlier one. */
  readonly acceptedAt: number | undefined;
  /** Definition that waits for approval. */
  readonly quarantined?: {
    readonly digest: string;
    readonly changed: readonly string[];
    readonly definition: JsonObject;
    /** The pinned definition, if it was stored. */
    readonly pinnedDefinition?: JsonObject;
  };
}

/** Thrown for a tool that the server does not have. */
export class UnknownToolError extends Error {
  readonly tool: string;

  constructor(server: string, tool: string) {
    super(`the server ${server} has no tool called ${JSON.stringify(tool)}`);
    this.name = 'UnknownToolError';
    this.tool = tool;
  }
}

/** Thrown when the definition to approve is not the current one. */
export class DefinitionChangedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DefinitionChangedError';
  }
}

/**
 * Requests to one server outside of a run. Input requests of the server are refused. Every method
 * rejects with `ServerUnavailableError` while the server is not ready, and with
 * `ServerRefusedError` for the server's own errors.
 */
export interface ServerFeatures {
  /** Capabilities that the server declared; undefined while it is not connected. */
  capabilities(): Promise<JsonObject | undefined>;
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
   * Streams changes of the resources and of the server's lists until `signal` aborts, also across
   * restarts of the server. Emits `subscribed` for each subscription, and `missed` after a restart,
   * when changes may be lost.
   */
  changes(uris: readonly string[], signal: AbortSignal): AsyncIterable<FollowedChange>;
}

/** Thrown for a feature that needs a connection to the server in this process. */
export class NotConnectedHereError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NotConnectedHereError';
  }
}

/** Thrown while the server is not connected. The message gives the reason. */
export class ServerUnavailableError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ServerUnavailableError';
  }
}

/** Thrown when the server responds with an error or an invalid result. */
export class ServerRefusedError extends Error {
  readonly isNotFound: boolean;

  constructor(message: string, options: { readonly cause: unknown; readonly isNotFound: boolean }) {
    super(message, { cause: options.cause });
    this.name = 'ServerRefusedError';
    this.isNotFound = options.isNotFound;
  }
}
