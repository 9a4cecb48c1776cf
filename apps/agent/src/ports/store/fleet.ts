import type { CompletionReference, JsonObject } from '@signalbox/mcp-core';
import type { ListedTool, ServerState } from '../server-state.ts';
import type { ToolApproval } from '../server-directory.ts';

/** A process that is connected to the servers and whose lease is not over. */
export interface FleetWorker {
  readonly id: string;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
}

/** State of a server on one worker. */
export interface StoredServerState extends Omit<ServerState, 'tools'> {
  readonly workerId: string;
  /** Key of the tools for `listedTools`. */
  readonly toolsDigest: string;
}

/** Settings of a server that outlive its workers. */
export interface ServerSettings {
  readonly server: string;
  /** Roots that replace the configured ones. */
  readonly roots: readonly string[] | undefined;
  /** Whether workers that start later leave the server ended. */
  readonly isDrained: boolean;
}

/** An operation of one worker on one of its servers. */
export type FleetCommand =
  | { readonly kind: 'reconnect' | 'drain'; readonly mode: 'graceful' | 'now' }
  | { readonly kind: 'approve_tools'; readonly tools: 'all' | readonly ToolApproval[] }
  | { readonly kind: 'compare_with_pins' }
  | { readonly kind: 'set_roots'; readonly paths: readonly string[] }
  | { readonly kind: 'resources' | 'resource_templates' | 'prompts' }
  | { readonly kind: 'read_resource'; readonly uri: string }
  | {
      readonly kind: 'get_prompt';
      readonly name: string;
      readonly arguments: { readonly [name: string]: string };
    }
  | {
      readonly kind: 'complete';
      readonly reference: CompletionReference;
      readonly argument: { readonly name: string; readonly value: string };
      readonly chosen: { readonly [name: string]: string };
    };

export interface FleetRequest {
  readonly id: string;
  /** The worker that executes the command. */
  readonly workerId: string;
  readonly server: string;
  readonly command: FleetCommand;
}

/** Outcome of a command. `code` selects the error that the requester throws. */
export type FleetAnswer =
  | { readonly type: 'result'; readonly result: JsonObject }
  | {
      readonly type: 'error';
      readonly code:
        | 'unavailable'
        | 'refused'
        | 'not_found'
        | 'unknown_tool'
        | 'definition_changed'
        | 'internal';
      readonly message: string;
      /** Name of an unknown tool. */
      readonly tool?: string;
    };

/**
 * The shared state of workers and API processes about the servers: the states on each worker,
 * settings, and commands with their answers. Times are by the clock of the store.
 */
export interface FleetStore {
  /** Returns the workers whose leases are not over, oldest first. */
  workers(): Promise<readonly FleetWorker[]>;
  /** Stores the state of a server on a worker. Replaces the earlier state, and its tools that no other state has. */
  saveState(workerId: string, state: ServerState): Promise<void>;
  /** Returns the states on the workers whose leases are not over, in the order of the workers. */
  states(): Promise<readonly StoredServerState[]>;
  /** Returns the tools with a digest; undefined when no state refers to them any more. */
  listedTools(digest: string): Promise<readonly ListedTool[] | undefined>;

  /** Returns the servers whose settings differ from the configuration. */
  settings(): Promise<readonly ServerSettings[]>;
  changeSettings(server: string, change: Partial<Omit<ServerSettings, 'server'>>): Promise<void>;
  clearSettings(): Promise<void>;

  /** Stores commands, which expire after `expiresInMs`. */
  addRequests(requests: readonly FleetRequest[], expiresInMs: number): Promise<void>;
  /** Returns the commands to a worker that have neither an answer nor expired, oldest first. */
  requestsTo(workerId: string): Promise<readonly FleetRequest[]>;
  /** Stores the answer to a command that has none. */
  answerRequest(id: string, answer: FleetAnswer): Promise<void>;
  /** Returns the answer to a command; undefined as long as there is none. */
  answerTo(id: string): Promise<FleetAnswer | undefined>;
  removeRequests(ids: readonly string[]): Promise<void>;

  /** Removes the states on a worker, which is about to end. */
  removeStates(workerId: string): Promise<void>;
  /** Removes the states on ended workers, tools without a state, and expired commands. */
  removeLeftovers(): Promise<void>;
}
