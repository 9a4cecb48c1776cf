import type { JsonObject, JsonRpcErrorObject } from '../jsonrpc/messages.ts';
import type {
  ClientCapabilities,
  ClientCapability,
  ServerCapabilities,
} from '../protocol/capabilities.ts';
import type { Era, ProtocolVersion } from './versions.ts';
import type { Implementation } from '../protocol/implementation.ts';
import type { LoggingLevel } from '../protocol/logging-levels.ts';
import type {
  CreateMessageParams,
  CreateMessageResult,
  ElicitParams,
  ElicitResult,
  Root,
} from '../protocol/client-features.ts';
import type { ProtocolError } from '../protocol/errors.ts';
import type { DetailedTask, Task } from '../protocol/tasks.ts';
import type { JsonSchema } from '../protocol/tools.ts';
import type { TaskKind } from './task-codec.ts';

/** The client of a modern request; legacy clients send it once, in `initialize`. */
export interface ClientIdentity {
  readonly info: Implementation;
  readonly capabilities: ClientCapabilities;
  /** Least severe log level that the client requests. Absent in the modern era: no log messages. */
  readonly logLevel?: LoggingLevel;
}

export interface ResultContext {
  readonly serverInfo: Implementation;
  /** Output schema of the called tool; decides how its `structuredContent` is wrapped. */
  readonly outputSchema?: JsonSchema | undefined;
}

/** A decoded result of a server. */
export type DecodedResult =
  | { readonly kind: 'complete'; readonly result: JsonObject }
  /** A tool call that became a task. */
  | { readonly kind: 'task'; readonly task: Task }
  /** @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr */
  | {
      readonly kind: 'input-required';
      readonly inputRequests: JsonObject;
      readonly requestState: string | undefined;
    }
  | { readonly kind: 'invalid'; readonly detail: string };

/** Params and results of the requests that a server may send to a client, in the neutral model. */
export interface InputTypes {
  'sampling/createMessage': {
    readonly params: CreateMessageParams;
    readonly result: CreateMessageResult;
  };
  'elicitation/create': { readonly params: ElicitParams; readonly result: ElicitResult };
  'roots/list': {
    readonly params: undefined;
    readonly result: { readonly roots: readonly Root[] };
  };
}
export type InputMethod = keyof InputTypes;

/**
 * Converts between the neutral model, whose shapes are those of 2026-07-28, and the wire format of
 * one protocol revision. Stateless.
 */
export interface Codec {
  readonly version: ProtocolVersion;
  readonly era: Era;
  readonly clientRequests: ReadonlySet<string>;
  readonly serverRequests: ReadonlySet<string>;
  /** Whether servers declare a capability for completion. */
  readonly hasCompletionsCapability: boolean;
  /** Whether receivers must accept arrays of messages. */
  readonly hasBatches: boolean;
  /**
   * Whether clients accept an event with an id and no data, and resume a stream whose connection was closed.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server
   */
  readonly hasPrimingEvents: boolean;
  /** Whether an error response may lack its id. */
  readonly hasErrorsWithoutId: boolean;
  /** Whether invalid tool arguments get the error -32602 instead of a result with `isError`. */
  readonly rejectsBadArguments: boolean;
  /**
   * Whether a missing client capability has its own error code; otherwise a tool returns `isError`.
   */
  readonly hasMissingCapabilityError: boolean;
  /** Whether the error -32042 can ask the user to visit URLs before a request is served. */
  readonly hasUrlElicitationRequired: boolean;
  readonly tasks: TaskKind;

  /**
   * Whether a client with these capabilities supports a capability in this revision. `elicitation:
   * {}` means form mode.
   */
  can(capabilities: ClientCapabilities, capability: ClientCapability): boolean;

  /**
   * Server side: encodes the capabilities for `initialize` or `server/discover`. `isListed`:
   * whether the client can be identified, and so may list its tasks.
   */
  encodeCapabilities(capabilities: ServerCapabilities, isListed: boolean): ServerCapabilities;
  /** Server side: encodes a task for `tasks/get` and notifications. */
  encodeTask(task: DetailedTask): JsonObject;
  /** Server side: encodes a neutral result. A result with the `resultType` of a task is a task. */
  encodeResult(method: string, result: JsonObject, context: ResultContext): JsonObject;
  /** Server side: encodes an error with the code and data of this revision. */
  encodeError(error: ProtocolError): JsonRpcErrorObject;
  /** Server side: encodes an input request; `undefined` when the revision cannot express it. */
  encodeInputRequest<M extends InputMethod>(
    method: M,
    params: InputTypes[M]['params'],
  ): JsonObject | undefined;
  /** Server side: decodes an input response. @throws LocalError `invalid-response` */
  decodeInputResponse<M extends InputMethod>(
    method: M,
    result: JsonObject,
  ): InputTypes[M]['result'];

  /** Client side: whether tool calls of a server with these capabilities can become tasks. */
  offersTasks(capabilities: ServerCapabilities): boolean;
  /**
   * Client side: encodes params. In the modern era the client's identity is added to the caller's
   * `_meta`.
   */
  encodeRequestParams(
    params: JsonObject | undefined,
    identity: ClientIdentity,
  ): JsonObject | undefined;
  /** Client side: decodes a result; an absent `resultType` means `complete`. */
  decodeResult(method: string, result: JsonObject): DecodedResult;
  /** Client side: decodes an input request. @throws ProtocolError -32602 when it is malformed. */
  decodeInputRequest<M extends InputMethod>(
    method: M,
    params: JsonObject | undefined,
  ): InputTypes[M]['params'];
  /** Client side: encodes an input response. */
  encodeInputResponse<M extends InputMethod>(
    method: M,
    answer: InputTypes[M]['result'],
  ): JsonObject;
}
