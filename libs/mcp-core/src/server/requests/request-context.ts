import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { AuthContext } from '../../jsonrpc/transport.ts';
import type { ClientCapability } from '../../protocol/capabilities.ts';
import type { Era } from '../../era/versions.ts';
import type { Implementation } from '../../protocol/implementation.ts';
import type { LoggingLevel } from '../../protocol/logging-levels.ts';
import type { Progress } from '../../protocol/progress.ts';
import type {
  CreateMessageParams,
  CreateMessageResult,
  ElicitParams,
  ElicitResult,
  Root,
} from '../../protocol/client-features.ts';

/** The client of a request, as it described itself. Never a basis for security. */
export interface RequestClient {
  readonly info: Implementation | undefined;
  readonly era: Era;
  /** Whether the client declared the capability and this request can use it. */
  can(capability: ClientCapability): boolean;
  /** The declared extensions, by their prefixed name, with their settings. */
  readonly extensions: { readonly [name: string]: JsonObject };
  /** The declared experimental capabilities. */
  readonly experimental: { readonly [name: string]: JsonObject };
}

/** The context of every handler. It may be destructured by name, `const { log, signal } = context`, but not copied: `{ ...context }` has none of its members. */
export interface RequestContext {
  /**
   * Aborts when the client cancels the request, the connection ends, or the handler will run again after an input response. It may have aborted before the
   * handler reads it, and `addEventListener` does not report an earlier abort: call `signal.throwIfAborted()` first, or use `addAbortListener` of
   * `node:events`. Functions that accept a signal, such as `fetch`, check it themselves.
   */
  readonly signal: AbortSignal;
  readonly client: RequestClient;
  /** The request's `_meta`, as sent. */
  readonly meta: JsonObject;
  /** The authentication of the transport, if any. */
  readonly auth: AuthContext | undefined;
  /**
   * Sends progress, at most ten times a second (`ServerLimits.progressIntervalMs`); the last update is always sent. Does nothing without a progress token,
   * when `progress` does not increase, and after the result. Await it to apply the client's backpressure; with an interval of 0 no update is then lost.
   * Never rejects.
   */
  readonly progress: (update: Progress) => PromiseLike<void>;
  /** Sends a log message if the client's log level allows it. Must not contain secrets. */
  readonly log: (level: LoggingLevel, data: unknown, logger?: string) => void;
  /**
   * Sends a custom notification that belongs to the request, on its stream; does nothing after the result. Never rejects.
   * @throws Error for a notification that the specification defines
   */
  readonly notify: (method: string, params?: JsonObject) => PromiseLike<void>;
  /**
   * Sends a custom request to the client of a legacy session and resolves with its result. A client without a handler responds with -32601.
   * @throws Error for a method that the specification defines; LocalError `method-not-in-era` where servers cannot send requests: in the modern era, and
   *   without a session
   */
  readonly request: (
    method: string,
    params?: JsonObject,
    options?: InputRequestOptions,
  ) => Promise<JsonObject>;
}

/** Options of a request to the client. */
export interface InputRequestOptions {
  /**
   * Withdraws the request when it aborts: the client gets `notifications/cancelled`, and the promise rejects with the signal's reason. In 2026-07-28 it counts
   * only until the handler waits for the response: the handler is then suspended, and the client may respond until `requestState.ttlMs` has passed.
   */
  readonly signal?: AbortSignal | undefined;
}

/** An input request of `gather`: exactly one of the members. */
export interface InputRequest {
  readonly elicit?: ElicitParams;
  readonly sample?: CreateMessageParams;
  readonly listRoots?: true;
}

/**
 * The context of handlers of `tools/call`, `prompts/get` and `resources/read`. The `key` of an input request is unique within the request and must be the same
 * when the handler runs again with the same arguments.
 */
export interface InteractiveContext extends RequestContext {
  /** Asks the user for input. @throws ProtocolError -32021 when the client did not declare elicitation of this mode */
  readonly elicit: (
    key: string,
    params: ElicitParams,
    options?: InputRequestOptions,
  ) => Promise<ElicitResult>;
  /** Requests a completion of the client's model. @throws ProtocolError -32021 when the client did not declare sampling; -1 when the user rejected it (legacy) */
  readonly sample: (
    key: string,
    params: CreateMessageParams,
    options?: InputRequestOptions,
  ) => Promise<CreateMessageResult>;
  /** Lists the client's roots. @throws ProtocolError -32021 when the client did not declare roots */
  readonly listRoots: (options?: InputRequestOptions) => Promise<readonly Root[]>;
  /** Sends several input requests in one round. Resolves with the responses under the same keys. */
  readonly gather: (
    requests: { readonly [key: string]: InputRequest },
    options?: InputRequestOptions,
  ) => Promise<{ readonly [key: string]: unknown }>;
  /** Runs `run` at most once per request, however often the handler runs; every run gets its JSON result. */
  readonly once: <T>(key: string, run: () => T | Promise<T>) => Promise<T>;
  /** Turns the request into a task if the client supports tasks. */
  readonly startTask: (options?: { readonly ttlMs?: number }) => Promise<void>;
  /** Closes the stream of the request so that the client polls for the result; does nothing on stdio. */
  readonly closeStream: () => void;
}
