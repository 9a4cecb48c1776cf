import type { Completion, CompletionReference, GetPromptResult, JsonObject, Prompt, Resource, ResourceContents, ResourceTemplate } from '@signalbox/mcp-core';
import type { ServerChange } from '@signalbox/mcp-core/client';

/** `subscribed`: from here on every change is told. */
export type FollowedChange = ServerChange | { readonly kind: 'subscribed' };

/** What the servers offer beside tools. */
export interface ServerDirectory {
  /** `undefined` for a name that is not configured. */
  server(name: string): ServerFeatures | undefined;
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
  complete(reference: CompletionReference, argument: { readonly name: string; readonly value: string }, chosen: { readonly [name: string]: string }): Promise<Completion>;
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
