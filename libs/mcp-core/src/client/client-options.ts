import type { JsonObject } from '../jsonrpc/messages.ts';
import type { Era } from '../era/versions.ts';
import type { Implementation } from '../protocol/implementation.ts';
import type { Progress } from '../protocol/progress.ts';
import type { Task } from '../protocol/tasks.ts';
import type { JsonSchema } from '../protocol/tools.ts';
import type { SchemaEvaluator } from '../schema/schema-evaluator.ts';
import type { StandardSchema } from '../schema/standard-schema.ts';
import type { CacheOptions } from './caching/response-cache.ts';
import type { ClientMethodDefinition } from './extensions/custom-methods.ts';
import type { ClientMiddleware } from './extensions/middleware.ts';
import type { LogEntry } from './connection/logging.ts';
import type { ClientNotificationHandler } from './extensions/notification-handler.ts';
import type {
  HandlerCapabilities,
  InputHandlers,
  InputRound,
  InputRoundStore,
} from './input/input-handlers.ts';

/** The parts of a client that the specification leaves to it. */
export interface ClientExtensions {
  /** Runs around requests to the server, the handshake included, and around requests of the server, the first outermost. Default: none. */
  readonly middleware?: readonly ClientMiddleware[] | undefined;
  /** Handlers of requests that the specification does not define, by method. Only legacy servers send requests. `defineClientMethod` infers their types. */
  readonly methods?: { readonly [name: string]: ClientMethodDefinition } | undefined;
  /** Handlers of notifications that the specification does not define, by name; `*` is that of all other names. Their failures are reported to `onProblem`. */
  readonly notifications?: { readonly [name: string]: ClientNotificationHandler } | undefined;
}

/** Identity, features and limits of a client. */
export interface ClientOptions {
  readonly info: Implementation;
  /** Handlers of the server's input requests: elicitation, sampling and roots. */
  readonly handlers?: InputHandlers | undefined;
  readonly capabilities?: HandlerCapabilities | undefined;
  /**
   * `auto` (default) detects the era with one probe; `legacy` and `modern` pin it. `{ first }`, the `server.era` of an earlier connection to this server, is tried
   * first, and corrected if wrong.
   */
  readonly era?: 'auto' | Era | { readonly first: Era } | undefined;
  readonly limits?: ClientLimits | undefined;
  /** Validation of structured content against the output schema that `listTools` returned for its tool. */
  readonly output?: OutputOptions | undefined;
  /** Default: a cache with the default limits. */
  readonly cache?: CacheOptions | undefined;
  readonly events?: ClientEvents | undefined;
  readonly extensions?: ClientExtensions | undefined;
}

/** Limits of a client. */
export interface ClientLimits {
  /** Time limit for connecting in milliseconds; default 60,000. */
  readonly connectTimeoutMs?: number | undefined;
  /**
   * Silence in milliseconds after which `initialize` is also sent on the same process; default 1500. A server of both eras that reads both requests then
   * stays in the legacy era. Ignored over HTTP, where only the connect limit applies.
   */
  readonly probeTimeoutMs?: number | undefined;
  /** Inactivity limit of a request in milliseconds; default 60,000, `Infinity` for none. Progress restarts it; an open input request pauses it. */
  readonly requestTimeoutMs?: number | undefined;
  /** Maximum number of input rounds of one request; default 10. */
  readonly maxInputRounds?: number | undefined;
}

/** Checks of structured content against the output schemas of the server. */
export interface OutputOptions {
  /**
   * Handling of structured content that does not fit its schema: the call rejects with `invalid-response` (`reject`, default), `onProblem` is called (`report`), or
   * the content is not validated (`off`).
   */
  readonly validation?: 'reject' | 'report' | 'off' | undefined;
  /**
   * Evaluates the output schemas of the server. Default: an interpreter of at most a million steps, then a worker thread that all clients of the process
   * share and that starts when it is first needed; a check there is abandoned after one second of processor time or 96 MiB. A schema whose check is
   * abandoned, that is invalid, or that is of another dialect than 2020-12 and draft-07 is reported to `onProblem`, and its results are not validated.
   */
  readonly evaluator?: SchemaEvaluator | undefined;
}

/** Callbacks of a client. A callback that throws affects nothing else, and is reported to `onProblem`. */
export interface ClientEvents {
  /** Called with each log message. When it is present, a modern server is asked for messages of level `info` and above. */
  readonly onLog?: ((entry: LogEntry) => void) | undefined;
  /**
   * Called when the interaction behind a URL elicitation is complete. The id is that of the input request; it may be unknown to the host. Only servers of
   * 2025-11-25 send it.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#completion-notifications-for-url-mode-elicitation
   */
  readonly onElicitationComplete?: ((elicitationId: string) => void) | undefined;
  /**
   * Called with each problem that does not end the connection: unreadable output of the server,
   * invalid responses, unusable tools, failed callbacks.
   */
  readonly onProblem?: ((problem: Error) => void) | undefined;
  /** Called once for each connection that ended, whatever the reason. Renewing an HTTP session does not count as an end. */
  readonly onClosed?: ((error?: Error) => void) | undefined;
}

/** Storage of the input rounds of a request. */
export interface InputRoundOptions {
  /** Stores the input rounds of the request. */
  readonly store?: InputRoundStore | undefined;
  /** A stored round, perhaps of another process. The handlers receive its input requests first; then the request is sent with their responses. */
  readonly resume?: InputRound | undefined;
}

/** The task that a call may become. */
export interface RequestTaskOptions {
  /** Asks a server of 2025-11-25 to run the call as a task that is kept for `ttlMs`, if the tool supports it. Default: only for tools that require it. Other servers decide on their own. */
  readonly request?: { readonly ttlMs?: number | undefined } | undefined;
  /**
   * Called when a call becomes a task, and whenever the status or message of the task has changed. `Client.tasks` accepts the id of the task, also after a
   * lost connection or a restart of the host.
   */
  readonly onTask?: ((task: Task) => void) | undefined;
}

/** Options of a single request. */
export interface RequestOptions {
  /** Cancels the request on the server and rejects with `request-cancelled`. */
  readonly signal?: AbortSignal | undefined;
  /** Inactivity limit in milliseconds; default `ClientLimits.requestTimeoutMs`. */
  readonly timeoutMs?: number | undefined;
  /** Total limit in milliseconds, whatever the progress; paused only while an input request is open. Default none. */
  readonly maxTotalMs?: number | undefined;
  /** Merged into the request's `_meta`. */
  readonly meta?: JsonObject | undefined;
  /** The task that a call may become. */
  readonly task?: RequestTaskOptions | undefined;
  /** Storage of the input rounds of the request, and a stored round to begin with. */
  readonly inputRounds?: InputRoundOptions | undefined;
  /** Called for every progress notification, in order and before the response. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** For lists and reads: `use` (default) returns a fresh result from the cache, `refresh` fetches and stores the result, `none` fetches and stores nothing. */
  readonly cache?: 'use' | 'refresh' | 'none' | undefined;
}

/** The options of a request with any method. */
export interface CustomRequestOptions<
  Schema extends JsonSchema | StandardSchema,
> extends RequestOptions {
  /**
   * JSON Schema, or a Standard Schema, of the result without its `_meta`. A result that does not
   * fit rejects with `invalid-response`. Default: any result, returned with its `_meta`.
   */
  readonly result?: Schema | undefined;
}
