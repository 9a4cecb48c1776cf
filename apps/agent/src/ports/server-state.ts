import type { JsonObject } from '@signalbox/mcp-core';
import type { CatalogueTool, ServerStatus } from './tool-catalogue.ts';

/** A tool that a server lists. */
export interface ListedTool {
  readonly tool: CatalogueTool;
  /** Set while the tool is withheld, because its changed definition is not approved. */
  readonly quarantine?: {
    /** Message for people and models. */
    readonly reason: string;
    /** SHA-256 of the changed definition, in hex. */
    readonly digest: string;
    /** Names of the changed parts. */
    readonly changed: readonly string[];
    readonly definition: JsonObject;
  };
}

/** State of a server in the process that is connected to it. */
export interface ServerState {
  readonly status: ServerStatus;
  /** Whether calls are accepted: the server is ready, or is being restarted on purpose. */
  readonly isOffering: boolean;
  /** Capabilities that the server declared; undefined while it is not connected. */
  readonly capabilities: JsonObject | undefined;
  /** Tools of the latest connection. The same array as long as they do not change. */
  readonly tools: readonly ListedTool[];
}

/** The states of the servers of this process. */
export interface ServerStates {
  states(): readonly ServerState[];
}
