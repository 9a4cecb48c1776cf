import type {
  Era,
  JsonObject,
  JsonSchema,
  ProtocolVersion,
  ToolAnnotations,
} from '@signalbox/mcp-core';
import type { LoginRequest } from '@signalbox/mcp-core/auth';

/** A tool under its wire name. */
export interface CatalogueTool {
  /** Name for models, `server__tool`: at most 64 characters, independent of the connect order. */
  readonly wireName: string;
  readonly server: string;
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Schema of structured results, as listed by the server. */
  readonly outputSchema?: JsonSchema;
  readonly annotations: ToolAnnotations;
  /** Whether the server's annotations are trusted. */
  readonly trusted: boolean;
}

/** State of a circuit breaker. `half_open`: the next call is tried alone. */
export interface BreakerStatus {
  readonly state: 'closed' | 'open' | 'half_open';
  /** Consecutive unanswered calls within a minute. */
  readonly failures: number;
  /** Time of the next allowed call in milliseconds since the Unix epoch. Absent while closed. */
  readonly opensAgainAt?: number;
}

/** Reason why an admissible call is not sent yet. */
export interface CallWaiting {
  readonly reason:
    | 'connections_busy'
    | 'connection_opening'
    | 'server_restarting'
    | 'question_held'
    | 'rate_limited';
  /** Message for people. */
  readonly message: string;
}

/** A process of a server, or a session with it. */
export interface ServerConnectionStatus {
  readonly pid?: number;
  /** Calls in flight, and the ids of their runs. */
  readonly calls: number;
  readonly runs: readonly string[];
  /** Unanswered input requests of the server. */
  readonly openInputRequests: number;
  /** Reason why the connection accepts no new calls and is closed when it has none. */
  readonly retiring?: string;
}

/** State of a server on one worker. */
export interface WorkerServerStatus extends Pick<ServerStatus, 'state' | 'since' | 'error'> {
  readonly workerId: string;
}

export interface ServerStatus {
  readonly name: string;
  /** Name in the configuration, if it is different. */
  readonly configuredName?: string;
  readonly transport: 'stdio' | 'http' | 'sse';
  /**
   * `needs_login`: the server refuses the service until a person logs in; `draining`: accepts no new calls; `drained`: the last call has ended; `invalid`: the
   * configuration cannot be used.
   */
  readonly state:
    | 'connecting'
    | 'ready'
    | 'needs_login'
    | 'failed'
    | 'draining'
    | 'drained'
    | 'closed'
    | 'invalid';
  /** The login that the server needs, with `needs_login`, or for more scopes. Contains no secrets. */
  readonly login?: LoginRequest;
  readonly breaker: BreakerStatus;
  /** Names of tools that changed and are not offered until a person approves the change. */
  readonly quarantined: readonly string[];
  /** Paths of the directories that the server is given as roots. */
  readonly roots: readonly string[];
  readonly era?: Era;
  readonly protocolVersion?: ProtocolVersion;
  readonly serverInfo?: { readonly name: string; readonly version: string };
  readonly instructions?: string;
  readonly toolCount: number;
  /** Whether the server announces changes of its tools. */
  readonly toolsChange?: boolean;
  /** Reasons why tools are not offered. */
  readonly warnings: readonly string[];
  /** Description of the failure, with what to do. */
  readonly error?: string;
  readonly pid?: number;
  /**
   * Connections; the first answers lists. Only a legacy server that may send input requests has
   * several.
   */
  readonly connections: readonly ServerConnectionStatus[];
  /** Calls that wait for a connection. `since`: milliseconds since the Unix epoch. */
  readonly waiting: readonly (CallWaiting & {
    readonly runId: string;
    readonly callId?: string;
    readonly since: number;
  })[];
  /** Milliseconds since the Unix epoch of the last change of `state`. */
  readonly since: number;
  readonly restarts: number;
  /** State on each worker, in an API process. The other members describe the worker with the best state. */
  readonly workers?: readonly WorkerServerStatus[];
}

/** The servers and their tools as this process knows them. Read-only, and available in every process. */
export interface ToolCatalogue {
  /**
   * Resolves when no configured server, or none of the named servers, is `connecting`, at the
   * latest after `timeoutMs`.
   */
  settled(timeoutMs: number, servers?: readonly string[]): Promise<void>;
  /** Returns the configured servers. */
  servers(): Promise<readonly ServerStatus[]>;
  /** Returns the tools of the ready servers, or of the named servers, sorted by wire name. */
  tools(servers?: readonly string[]): Promise<readonly CatalogueTool[]>;
  /** Returns a tool that is offered, or was offered when its server was last connected. */
  find(wireName: string): Promise<CatalogueTool | undefined>;
  /**
   * Returns the reason why a tool is not offered, for people and models. Undefined when the wire
   * name names no server.
   */
  whyNotOffered(wireName: string): Promise<string | undefined>;
  /** Whether the tool is withheld because its changed definition is not approved. */
  isQuarantined(wireName: string): Promise<boolean>;
  /**
   * Returns the problems of the arguments, for people and models. Undefined for valid arguments.
   */
  checkArguments(wireName: string, args: JsonObject): Promise<string | undefined>;
}
