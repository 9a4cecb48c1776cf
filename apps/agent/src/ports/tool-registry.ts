import type {
  CallToolResult,
  Era,
  JsonObject,
  JsonSchema,
  Progress,
  ProtocolVersion,
  InputHandlers,
  ToolAnnotations,
} from '@signalbox/mcp-core';
import type { InputRound, InputRoundStore } from '@signalbox/mcp-core/client';

/** A tool under its wire name. */
export interface CatalogueTool {
  /** `server__tool`, ≤ 64 characters, independent of connect order. */
  readonly wireName: string;
  readonly server: string;
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Of structured results; as the server lists it. */
  readonly outputSchema?: JsonSchema;
  readonly annotations: ToolAnnotations;
  /** Whether the server's hints may be believed. */
  readonly trusted: boolean;
}

/** Whether calls are let through. `half_open`: the next one is tried alone. */
export interface BreakerStatus {
  readonly state: 'closed' | 'open' | 'half_open';
  /** Calls in a row, within a minute, that were not answered. */
  readonly failures: number;
  /** Milliseconds since the Unix epoch at which the next call may be tried; absent while closed. */
  readonly opensAgainAt?: number;
}

/** Why a call that may be sent is not yet. */
export interface CallWaiting {
  readonly reason:
    | 'connections_busy'
    | 'connection_opening'
    | 'server_restarting'
    | 'question_held';
  /** For people. */
  readonly message: string;
}

/** A process of a server, or a session with it. */
export interface ServerConnectionStatus {
  readonly pid?: number;
  /** Calls in flight, and the ids of their runs. */
  readonly calls: number;
  readonly runs: readonly string[];
  /** Questions of the server that wait for an answer. */
  readonly openQuestions: number;
  /** Why it takes no new calls and is closed when it has none. */
  readonly retiring?: string;
}

export interface ServerStatus {
  readonly name: string;
  /** Its name as the configuration has it, where that is another one. */
  readonly configuredName?: string;
  readonly transport: 'stdio' | 'http' | 'sse';
  /** `draining`: no new calls, and `drained` when the last has ended. `invalid`: its configuration cannot be used. */
  readonly state: 'connecting' | 'ready' | 'failed' | 'draining' | 'drained' | 'closed' | 'invalid';
  readonly breaker: BreakerStatus;
  /** Names of tools that changed since they were first seen, and are not offered until a person has approved that. */
  readonly quarantined: readonly string[];
  /** Paths of the directories it is told as roots. */
  readonly roots: readonly string[];
  readonly era?: Era;
  readonly protocolVersion?: ProtocolVersion;
  readonly serverInfo?: { readonly name: string; readonly version: string };
  readonly instructions?: string;
  readonly toolCount: number;
  /** Whether it says when its tools change. */
  readonly toolsChange?: boolean;
  /** Tools that are not offered, and why. */
  readonly warnings: readonly string[];
  /** What went wrong, where, and what to do. */
  readonly error?: string;
  readonly pid?: number;
  /** The first one answers lists. More than one only for a legacy server that asks questions, or may. */
  readonly connections: readonly ServerConnectionStatus[];
  /** Calls that wait for a connection; `since` in milliseconds since the Unix epoch. */
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
  /** Milliseconds without progress, stopped while a question is open. */
  readonly inactivityMs: number;
  readonly maxTotalMs: number;
  readonly onProgress: (progress: Progress) => void;
  /** The id of the call in the ledger, shown while it waits. */
  readonly callId?: string;
  /** The call waits for a connection to its server, or a question that may be about it is held; called again when the reason changes. */
  readonly onWaiting?: (waiting: CallWaiting) => void;
  /** Answers the server's questions during this call. */
  readonly questions: InputHandlers;
  /** Hears, perhaps after the call, that what a person was sent to a URL for is done; the id is that of the question. */
  readonly onElicitationComplete?: (elicitationId: string) => void;
  /** Hears of the rounds of questions of a modern server. */
  readonly rounds?: InputRoundStore;
  /** Hears that the call goes on as a task. */
  readonly onTask?: (taskId: string) => void;
  /** Goes on with a call that was sent before, perhaps by another process. */
  readonly resumeFrom?: InputRound | { readonly taskId: string };
}

export type CancelLevel = 'sent' | 'delivered' | 'confirmed' | 'failed';

/** How a call ended. `not-sent`: the server never saw it. `lost`: it may have, and the answer can no longer come. */
export type ToolCallOutcome =
  | { readonly type: 'result'; readonly result: CallToolResult }
  | { readonly type: 'error'; readonly message: string }
  | { readonly type: 'not-sent'; readonly message: string }
  /** `isForgotten`: the server no longer knows the task that the call became. */
  | { readonly type: 'lost'; readonly message: string; readonly isForgotten?: true }
  | { readonly type: 'cancelled'; readonly level: CancelLevel };

/** The part of a call that decides when it may be sent. */
export type CallReservationRequest = Pick<
  ToolCallRequest,
  'wireName' | 'runId' | 'callId' | 'signal' | 'maxTotalMs' | 'onWaiting' | 'resumeFrom'
>;

/** The right to send one call. */
export interface CallReservation {
  /** Makes the call, or gives the outcome of a call that may not be sent. Never rejects. Releases the reservation. */
  call(request: ToolCallRequest): Promise<ToolCallOutcome>;
  /** Idempotent; for a call that is not made after all. */
  release(): void;
}

export interface ToolRegistry {
  /** Starts connecting every configured server and returns at once. */
  start(): void;
  /** Resolves when no configured server (none of the named ones when given) is `connecting`, at the latest after `timeoutMs`. */
  settled(timeoutMs: number, servers?: readonly string[]): Promise<void>;
  servers(): readonly ServerStatus[];
  /** Tools of the ready servers (of the named ones when given), sorted by wire name. */
  tools(servers?: readonly string[]): readonly CatalogueTool[];
  /** A tool that is offered, or was when its server was last connected. */
  find(wireName: string): CatalogueTool | undefined;
  /** Why a tool is not among those that runs may use, for people and models; undefined when no server is named by its wire name. */
  whyNotOffered(wireName: string): string | undefined;
  /** Whether the tool is there but is not offered, because its definition changed and nobody has approved that. */
  isQuarantined(wireName: string): boolean;
  /** What is wrong with the arguments of a call, for people and models; undefined when they fit the tool's schema. */
  checkArguments(wireName: string, args: JsonObject): Promise<string | undefined>;
  /** Resolves when the call may be sent, or may not be sent at all; sends nothing. Never rejects. Waits up to `maxTotalMs` for a connection, and until the signal aborts. */
  reserve(request: CallReservationRequest): Promise<CallReservation>;
  /** Reserves and makes a call. Never rejects. Arguments are validated against the tool's schema before anything is sent. Progress comes in order and before the outcome. */
  call(request: ToolCallRequest): Promise<ToolCallOutcome>;
  /** Hears every change of a server's state, for events and logs. */
  onServerChange(listener: (status: ServerStatus) => void): void;
  /** Ends every server process and connection. */
  close(): Promise<void>;
}
