import type { JsonObject } from '../jsonrpc/messages.ts';
import type { Era } from '../era/versions.ts';
import type { Implementation } from '../protocol/implementation.ts';
import type { LoggingLevel } from '../protocol/logging-levels.ts';
import type { Progress } from '../protocol/progress.ts';
import type {
  CreateMessageParams,
  CreateMessageResult,
  ElicitParams,
  ElicitResult,
  Root,
} from '../protocol/client-features.ts';
import type { Task } from '../protocol/tasks.ts';
import type { SchemaEvaluator } from '../schema/schema-evaluator.ts';

/** What a handler of a server's question gets. */
export interface QuestionContext {
  /** Aborted when the server withdraws the question, the request that led to it is cancelled, or the connection ends. */
  readonly signal: AbortSignal;
  readonly meta: JsonObject;
  /**
   * The request that led to the question. Absent where the protocol does not tell: a legacy server names none on stdio, except for a task, and need not
   * use the stream of the request over HTTP.
   */
  readonly request?: AskingRequest;
  /** The server's name of the question, unique in its round; absent for a request of a legacy server and for a question of a task. */
  readonly key?: string;
}

/** What a modern server wants to know before it answers a request. */
export interface InputAsked {
  /** Requests by the server's names of them. */
  readonly inputRequests: JsonObject;
  /** To be given back as it is. */
  readonly requestState?: string;
}

/**
 * Hears of the rounds of questions of one request, so that a host can keep them: nothing goes on before what it returns has resolved, and where that
 * rejects the request does, too.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export interface InputRoundKeeper {
  /** The server asks; the handlers have not been called yet. */
  asked(asked: InputAsked): Promise<void>;
  /** Everything is answered, and the request is about to be sent again. From here on the kept round must not be used any more. */
  answered(): Promise<void>;
}

/** A request of this client that the server answers after a question. */
export interface AskingRequest {
  /** That of the first call; `tasks/result` when a legacy server asks for a task. */
  readonly method: string;
  /** Of the tool or prompt, or the URI of the resource. */
  readonly name?: string;
  /** The very object that was given as `RequestOptions.meta`. */
  readonly meta?: JsonObject;
}

/**
 * Answer what a server asks: by a request of its own (legacy), or before it answers one of ours (modern). Declared capabilities are computed from
 * the handlers present and `ClientOptions.capabilities`; what was not declared never reaches a handler. Throw `ProtocolError` (-1: refused) to refuse:
 * a legacy server gets the error, a modern one hears nothing more of the request, which rejects with `input-refused`.
 */
export interface QuestionHandlers {
  readonly sample?: (
    params: CreateMessageParams,
    context: QuestionContext,
  ) => Promise<CreateMessageResult>;
  readonly elicit?: (params: ElicitParams, context: QuestionContext) => Promise<ElicitResult>;
  /** `file://` URIs. */
  readonly listRoots?: (context: QuestionContext) => Promise<readonly Root[]>;
}

/** What the handlers can do beyond being there. */
export interface HandlerCapabilities {
  /** `sample` understands `tools` and `toolChoice`; default false. */
  readonly samplingTools?: boolean;
  /** `sample` understands `includeContext`; default false. */
  readonly samplingContext?: boolean;
  /** `elicit` takes forms; default true. */
  readonly elicitationForm?: boolean;
  /** `elicit` takes URLs to open; default false. */
  readonly elicitationUrl?: boolean;
  /** Fields that an accepted form leaves out get the defaults of the asked schema; default false. */
  readonly applyDefaults?: boolean;
  /** Extensions by their prefixed name, with their settings; default none. */
  readonly extensions?: { readonly [name: string]: JsonObject };
}

export interface LogEntry {
  readonly level: LoggingLevel;
  readonly logger?: string;
  readonly data: unknown;
}

/** The response cache; a server says of each result how long it may be reused. */
export interface CacheOptions {
  /** Results kept; default 256, 0 keeps none. */
  readonly maxEntries?: number;
  /** Bytes kept, as JSON, in which each value counts as at least 16; default 16 Mi. */
  readonly maxCharacters?: number;
  /** Names the authorization context in force; private results are used in the one they were received in. Default: always the same. */
  readonly authorization?: () => string;
}

export interface ClientOptions {
  readonly info: Implementation;
  readonly handlers?: QuestionHandlers;
  readonly capabilities?: HandlerCapabilities;
  /** `auto` (default) detects the era with one probe; the others pin it. */
  readonly era?: 'auto' | Era;
  /** What `server.era` said of this server before; it is tried first, and what it turns out to be is used. Only with `era: 'auto'`. */
  readonly knownEra?: Era;
  /** Silence after which `initialize` is also sent on the same process; default 1500 ms. Over HTTP silence is no evidence and only the connect limit ends it. */
  readonly probeTimeoutMs?: number;
  /** After this connecting fails; default 60000 ms. */
  readonly connectTimeoutMs?: number;
  /** Inactivity limit of a request, restarted by its progress and stopped while a question of the server is open; default 60000 ms, `Infinity` is none. */
  readonly requestTimeoutMs?: number;
  /** How often one request may be answered with questions; default 10. */
  readonly maxInputRounds?: number;
  /**
   * What happens to structured content that does not fit the output schema of its tool, known from `listTools`: the call rejects with
   * `invalid-response` (`reject`, default), the host hears of it (`report`), or it is not looked at (`off`).
   */
  readonly outputValidation?: 'reject' | 'report' | 'off';
  /**
   * Evaluates the output schemas of the server. Default: at once in a million steps, or else in a worker thread that all clients of the process share and that
   * the first such result starts; a check that takes a second of processor time or 96 MiB there is abandoned. A schema whose check is abandoned, that is
   * invalid or of another dialect than 2020-12 and draft-07 is reported through `onProblem`, and its results are handed on unchecked.
   */
  readonly schemaEvaluator?: SchemaEvaluator;
  /** Default: a cache of its own. */
  readonly cache?: CacheOptions;
  /** With it, a modern server is asked for messages of level `info` and above. */
  readonly onLog?: (entry: LogEntry) => void;
  readonly onToolsChanged?: () => void;
  readonly onResourcesChanged?: () => void;
  readonly onPromptsChanged?: () => void;
  /**
   * Hears that what a person was sent to a URL for is done; the id is that of the question, or one that was never asked. Only 2025-11-25 knows it.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#completion-notifications-for-url-mode-elicitation
   */
  readonly onElicitationComplete?: (elicitationId: string) => void;
  /** Hears what was survived: unreadable output of the server, useless answers, unusable tools, failures of question handlers. */
  readonly onProblem?: (problem: Error) => void;
  /** Called once for each connection that ended, for whatever reason. A session of HTTP that is renewed is not an end. */
  readonly onClosed?: (error?: Error) => void;
}

export interface RequestOptions {
  /** Aborting cancels the request on the server and rejects with `request-cancelled`. */
  readonly signal?: AbortSignal;
  /** Inactivity limit, default `ClientOptions.requestTimeoutMs`. */
  readonly timeoutMs?: number;
  /** Hard limit whatever the progress, stopped only while a question of the server is open; default none. */
  readonly maxTotalMs?: number;
  /** Merged into the request's `_meta`. */
  readonly meta?: JsonObject;
  /**
   * For calls that become tasks: hears of the task at once, and whenever its status or message is seen to have changed. Its id is what `Client.tasks` takes,
   * after a lost connection or a start of the host, too.
   */
  readonly onTask?: (task: Task) => void;
  /** Asks a server of 2025-11-25 to make the call a task, kept that long, if the tool can be one; default: only where the tool must be one. Other servers decide themselves. */
  readonly task?: { readonly ttlMs?: number };
  readonly rounds?: InputRoundKeeper;
  /** Begins with a round that `rounds.asked` told of, perhaps another process: its questions are put to the handlers, and then the request is sent. */
  readonly resumeFrom?: InputAsked;
  /** A progress token is always sent; every update is delivered in order and before the answer. */
  readonly onProgress?: (progress: Progress) => void;
  /** For lists and reads: `use` (default) takes a fresh result from the cache, `refresh` asks and keeps, `none` asks and keeps nothing. */
  readonly cache?: 'use' | 'refresh' | 'none';
}
