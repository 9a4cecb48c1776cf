import type {
  CallToolResult,
  Era,
  JsonObject,
  JsonSchema,
  Progress,
  ProtocolVersion,
  ToolAnnotations,
} from '@signalbox/mcp-core';
import type { InputHandlers, InputRound, InputRoundStore } from '@signalbox/mcp-core/client';
import type { SentRequest } from './traces.ts';

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
    | 'question_held';
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

export interface ServerStatus {
  readonly name: string;
  /** Name in the configuration, if it is different. */
  readonly configuredName?: string;
  readonly transport: 'stdio' | 'http' | 'sse';
  /**
   * `draining`: accepts no new calls; `drained`: the last call has ended; `invalid`: the
   * configuration cannot be used.
   */
  readonly state: 'connecting' | 'ready' | 'failed' | 'draining' | 'drained' | 'closed' | 'invalid';
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
}

export interface ToolCallRequest {
  readonly wireName: string;
  readonly arguments: JsonObject;
  readonly runId: string;
  /** Sent as `dev.signalbox/idempotency-key`; stable across attempts. */
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
  /** Milliseconds without progress, paused while an input request is open. */
  readonly inactivityMs: number;
  readonly maxTotalMs: number;
  readonly onProgress: (progress: Progress) => void;
  /** Ledger id of the call, shown while the call waits. */
  readonly callId?: string;
  /**
   * Called when the call waits for a connection or an input request is held, and again when the
   * reason changes.
   */
  readonly onWaiting?: (waiting: CallWaiting) => void;
  /** Answers the server's input requests during the call. */
  readonly inputHandlers: InputHandlers;
  /**
   * Called, possibly after the call, when a URL elicitation is completed. `elicitationId`: id of
   * the input request.
   */
  readonly onElicitationComplete?: (elicitationId: string) => void;
  /** Notified about the rounds of input requests of a modern server. */
  readonly rounds?: InputRoundStore;
  /** Called when the call becomes a task. */
  readonly onTask?: (taskId: string) => void;
  /** Called when the call is sent. Returns members to add to `_meta`. */
  readonly metaOf?: (request: SentRequest) => JsonObject;
  /** Resumes a call that was sent earlier, possibly by another process. */
  readonly resumeFrom?: InputRound | { readonly taskId: string };
}

export type CancelLevel = 'sent' | 'delivered' | 'confirmed' | 'failed';

/**
 * Outcome of a call. `not-sent`: the server never received it; `lost`: the server may have received
 * it, and no result can arrive.
 */
export type ToolCallOutcome =
  | { readonly type: 'result'; readonly result: CallToolResult }
  | { readonly type: 'error'; readonly message: string }
  | { readonly type: 'not-sent'; readonly message: string }
  /** `isForgotten`: the server no longer has the task. */
  | { readonly type: 'lost'; readonly message: string; readonly isForgotten?: true }
  | { readonly type: 'cancelled'; readonly level: CancelLevel };

/** Fields of a call that decide when it may be sent. */
export type CallReservationRequest = Pick<
  ToolCallRequest,
  'wireName' | 'runId' | 'callId' | 'signal' | 'maxTotalMs' | 'onWaiting' | 'resumeFrom'
>;

/** The right to send one call. */
export interface CallReservation {
  /**
   * Sends the call, or returns the outcome of a call that may not be sent. Never rejects. Releases
   * the reservation.
   */
  call(request: ToolCallRequest): Promise<ToolCallOutcome>;
  /** Releases the reservation of a call that is not made. Idempotent. */
  release(): void;
}

export interface ToolRegistry {
  /** Starts connecting every configured server and returns at once. */
  start(): void;
  /**
   * Resolves when no configured server, or none of the named servers, is `connecting`, at the
   * latest after `timeoutMs`.
   */
  settled(timeoutMs: number, servers?: readonly string[]): Promise<void>;
  servers(): readonly ServerStatus[];
  /** Returns the tools of the ready servers, or of the named servers, sorted by wire name. */
  tools(servers?: readonly string[]): readonly CatalogueTool[];
  /** Returns a tool that is offered, or was offered when its server was last connected. */
  find(wireName: string): CatalogueTool | undefined;
  /**
   * Returns the reason why a tool is not offered, for people and models. Undefined when the wire
   * name names no server.
   */
  whyNotOffered(wireName: string): string | undefined;
  /** Whether the tool is withheld because its changed definition is not approved. */
  isQuarantined(wireName: string): boolean;
  /**
   * Returns the problems of the arguments, for people and models. Undefined for valid arguments.
   */
  checkArguments(wireName: string, args: JsonObject): Promise<string | undefined>;
  /**
   * Resolves when the call may be sent or is refused; sends nothing. Waits up to `maxTotalMs` for a
   * connection, and until the signal aborts. Never rejects.
   */
  reserve(request: CallReservationRequest): Promise<CallReservation>;
  /**
   * Reserves and sends a call. Validates the arguments against the tool's schema first. Progress
   * arrives in order and before the outcome. Never rejects.
   */
  call(request: ToolCallRequest): Promise<ToolCallOutcome>;
  /** Registers a listener for every change of a server's state. */
  onServerChange(listener: (status: ServerStatus) => void): void;
  /** Ends every server process and connection. */
  close(): Promise<void>;
}
