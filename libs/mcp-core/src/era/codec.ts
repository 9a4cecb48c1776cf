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
import type { TaskFlavour } from './task-codec.ts';

/** Who sends a modern request; legacy revisions say it once, in `initialize`. */
export interface ClientIdentity {
  readonly info: Implementation;
  readonly capabilities: ClientCapabilities;
  /** Least severe log message the client wants of this request; absent is silence in the modern era. */
  readonly logLevel?: LoggingLevel;
}

export interface ResultContext {
  readonly serverInfo: Implementation;
  /** Of the called tool; decides how its `structuredContent` is wrapped. */
  readonly outputSchema?: JsonSchema | undefined;
}

/** A server's result as the client sees it. */
export type DecodedResult =
  | { readonly kind: 'complete'; readonly result: JsonObject }
  /** A tool call that goes on after this answer. */
  | { readonly kind: 'task'; readonly task: Task }
  /** @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr */
  | {
      readonly kind: 'input-required';
      readonly inputRequests: JsonObject;
      readonly requestState: string | undefined;
    }
  | { readonly kind: 'invalid'; readonly detail: string };

/** The three things a server may ask of a client, in the neutral model. */
export interface QuestionTypes {
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
export type QuestionMethod = keyof QuestionTypes;

/**
 * One protocol revision on the wire. The neutral model is the 2026-07-28 shapes; a codec turns it into what its revision can say and back.
 * Codecs are stateless.
 */
export interface Codec {
  readonly version: ProtocolVersion;
  readonly era: Era;
  readonly clientRequests: ReadonlySet<string>;
  readonly serverRequests: ReadonlySet<string>;
  /** Whether a server that completes says so. */
  readonly hasCompletionsCapability: boolean;
  /** Whether a receiver must accept arrays of messages. */
  readonly hasBatches: boolean;
  /**
   * Whether clients accept an event with an id and no data, and resume a stream whose connection was closed.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server
   */
  readonly hasPrimingEvents: boolean;
  /** Whether an error answer may lack its id. */
  readonly hasErrorsWithoutId: boolean;
  /** Whether tool arguments that do not fit the schema are answered with -32602 instead of a result with `isError`. */
  readonly rejectsBadArguments: boolean;
  /** Whether a missing client capability has an error code of its own; else a tool answers it with `isError`. */
  readonly hasMissingCapabilityError: boolean;
  /** Whether a request can be refused with -32042 until a person has visited URLs. */
  readonly hasUrlElicitationRequired: boolean;
  readonly tasks: TaskFlavour;

  /** Whether a client with these capabilities can be asked for this in this revision. `elicitation: {}` means form mode. */
  can(capabilities: ClientCapabilities, capability: ClientCapability): boolean;

  /** Server side: what `initialize` or `server/discover` announces. `isListed`: whether this client can be told apart from others, and so may list its tasks. */
  encodeCapabilities(capabilities: ServerCapabilities, isListed: boolean): ServerCapabilities;
  /** Server side: a task as `tasks/get` and notifications show it. */
  encodeTask(task: DetailedTask): JsonObject;
  /** Server side: a neutral result for the wire. A neutral result with the `resultType` of a task is a task. */
  encodeResult(method: string, result: JsonObject, context: ResultContext): JsonObject;
  /** Server side: an error with the code and data of this revision. */
  encodeError(error: ProtocolError): JsonRpcErrorObject;
  /** Server side: `undefined` when this revision cannot ask it this way. */
  encodeQuestion<M extends QuestionMethod>(
    method: M,
    params: QuestionTypes[M]['params'],
  ): JsonObject | undefined;
  /** Server side: the client's answer. @throws LocalError `invalid-response` */
  decodeAnswer<M extends QuestionMethod>(method: M, result: JsonObject): QuestionTypes[M]['result'];

  /** Client side: whether this server's tool calls can become tasks. */
  offersTasks(capabilities: ServerCapabilities): boolean;
  /** Client side: params for the wire; the modern era puts the client's identity into `_meta`, beside what the caller has there. */
  encodeRequestParams(
    params: JsonObject | undefined,
    identity: ClientIdentity,
  ): JsonObject | undefined;
  /** Client side: a result in the neutral model; an absent `resultType` is `complete`. */
  decodeResult(method: string, result: JsonObject): DecodedResult;
  /** Client side: a server's question. @throws ProtocolError -32602 when it is malformed. */
  decodeQuestion<M extends QuestionMethod>(
    method: M,
    params: JsonObject | undefined,
  ): QuestionTypes[M]['params'];
  /** Client side: our answer to a question. */
  encodeAnswer<M extends QuestionMethod>(method: M, answer: QuestionTypes[M]['result']): JsonObject;
}
