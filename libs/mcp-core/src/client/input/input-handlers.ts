import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { CustomCapabilities } from '../../protocol/capabilities.ts';
import type {
  CreateMessageParams,
  CreateMessageResult,
  ElicitParams,
  ElicitResult,
  Root,
} from '../../protocol/client-features.ts';

/** The second parameter of an input handler. */
export interface InputContext {
  /** Aborts when the server withdraws the input request, the request that needs the input is cancelled, or the connection ends. */
  readonly signal: AbortSignal;
  readonly meta: JsonObject;
  /**
   * The request for which the server needs the input. Absent where the protocol does not say: a legacy server names no request on stdio, except for a
   * task, and need not use the stream of the request over HTTP.
   */
  readonly request?: OriginatingRequest;
  /** The server's key of the input request, unique in its round; absent for a request of a legacy server and for an input request of a task. */
  readonly key?: string;
}

/** A request of this client for which the server needs input, or to which a message of the server belongs. */
export interface OriginatingRequest {
  /** The method of the first call; `tasks/result` when a legacy server needs input for a task. */
  readonly method: string;
  /** The name of the tool or prompt, or the URI of the resource. */
  readonly name?: string;
  /** The object that was passed as `RequestOptions.meta`, by identity. */
  readonly meta?: JsonObject;
}

/**
 * The host's handlers of a server's input requests, which are requests of the server (legacy) or part of an `input_required` result (modern). Declared capabilities are
 * computed from the handlers present and `ClientOptions.capabilities`; an input request that was not declared never reaches a handler. Throw
 * `ProtocolError` (-1: rejected by the user) to refuse: a legacy server receives the error; a modern server receives nothing, and the request rejects with
 * `input-refused`.
 */
export interface InputHandlers {
  /** Responds to `sampling/createMessage` with a message of the model. */
  readonly sample?:
    | ((params: CreateMessageParams, context: InputContext) => Promise<CreateMessageResult>)
    | undefined;
  /** Responds to `elicitation/create`, usually with the input of the user. */
  readonly elicit?:
    | ((params: ElicitParams, context: InputContext) => Promise<ElicitResult>)
    | undefined;
  /** Returns `file://` URIs. */
  readonly listRoots?: ((context: InputContext) => Promise<readonly Root[]>) | undefined;
}

/** Capabilities that the input handlers have beyond the basic ones, extensions and experimental capabilities. */
export interface HandlerCapabilities extends CustomCapabilities {
  /** Whether `sample` understands `tools` and `toolChoice`; default false. */
  readonly samplingTools?: boolean | undefined;
  /** Whether `sample` understands `includeContext`; default false. */
  readonly samplingContext?: boolean | undefined;
  /** Whether `elicit` takes forms; default true. */
  readonly elicitationForm?: boolean | undefined;
  /** Whether `elicit` takes URLs to open; default false. */
  readonly elicitationUrl?: boolean | undefined;
  /** Whether missing fields of an accepted form get the defaults of the requested schema; default false. */
  readonly applyDefaults?: boolean | undefined;
}

/** The input that a modern server needs before it responds to a request. */
export interface InputRound {
  /** Input requests by the keys that the server gave them. */
  readonly inputRequests: JsonObject;
  /** Opaque; sent back unchanged. */
  readonly requestState?: string;
}

/**
 * Stores the open input round of one request, so that a host can resume it after a restart. The request waits for the returned promises, and rejects
 * when one of them rejects.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export interface InputRoundStore {
  /** Called when the server requires input, before the handlers run. */
  save(round: InputRound): Promise<void>;
  /** Called when every input response is ready, just before the request is sent again. From then on the stored round must not be resumed. */
  discard(): Promise<void>;
}
