import type { CallToolResult, JsonObject, Progress } from '@signalbox/mcp-core';
import type { LoginRequest } from '@signalbox/mcp-core/auth';
import type { InputHandlers, InputRound, InputRoundStore } from '@signalbox/mcp-core/client';
import type { CallWaiting, CatalogueTool, ServerStatus } from './tool-catalogue.ts';
import type { SentRequest } from './traces.ts';

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
  /** `login`: the server refused the call, or refuses all calls, until a person logs in. */
  | { readonly type: 'not-sent'; readonly message: string; readonly login?: LoginRequest }
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

/**
 * The connections of this process to the servers. Its reads are synchronous, so that a turn can be
 * planned inside a transaction.
 */
export interface ToolDispatcher {
  /** Starts connecting every configured server and returns at once. */
  start(): void;
  /**
   * Resolves when no configured server, or none of the named servers, is `connecting`, at the
   * latest after `timeoutMs`.
   */
  settled(timeoutMs: number, servers?: readonly string[]): Promise<void>;
  servers(): readonly ServerStatus[];
  /**
   * Uses the logins that were finished since servers asked for them. Resolves when the servers are
   * connected or have failed, at the latest after 15 s or when the signal aborts.
   */
  useLogins(servers: readonly string[], signal: AbortSignal): Promise<void>;
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
