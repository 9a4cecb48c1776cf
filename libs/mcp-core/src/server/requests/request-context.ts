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

/** The peer of a request, as it described itself; never a basis for security. */
export interface RequestClient {
  readonly info: Implementation | undefined;
  readonly era: Era;
  /** Whether the client declared the capability and this request can use it. */
  can(capability: ClientCapability): boolean;
}

/** What every handler gets. Its functions may be taken out of it: `const { log, signal } = context`. */
export interface RequestContext {
  /** Aborted when the client cancels the request, the connection ends, or the handler will run again after the answer to a question. */
  readonly signal: AbortSignal;
  readonly client: RequestClient;
  /** The request's `_meta`, as sent. */
  readonly meta: JsonObject;
  /** Of an authenticated transport. */
  readonly auth: AuthContext | undefined;
  /**
   * Dropped when the client sent no progress token, when `progress` does not increase, or after the result. At most 10 a second are sent
   * (`ServerOptions.progressIntervalMs`), the last always. A handler need not wait; one that does goes no faster than its client reads, and with an interval
   * of 0 then loses no step. Never rejects.
   */
  readonly progress: (update: Progress) => PromiseLike<void>;
  /** Sent to the client when its log level lets it through; else dropped. Never put secrets here. */
  readonly log: (level: LoggingLevel, data: unknown, logger?: string) => void;
}

export interface InputRequest {
  readonly elicit?: ElicitParams;
  readonly sample?: CreateMessageParams;
  readonly listRoots?: true;
}

/**
 * What handlers of `tools/call`, `prompts/get` and `resources/read` get. A question's `key` names it within the request and must be stable when
 * the handler runs again with the same arguments.
 */
export interface InteractiveContext extends RequestContext {
  /** @throws ProtocolError -32021 when the client did not declare elicitation of this mode. */
  readonly elicit: (key: string, params: ElicitParams) => Promise<ElicitResult>;
  /** @throws ProtocolError -32021 when the client did not declare sampling; -1 when a person refused (legacy). */
  readonly sample: (key: string, params: CreateMessageParams) => Promise<CreateMessageResult>;
  /** @throws ProtocolError -32021 when the client did not declare roots. */
  readonly listRoots: () => Promise<readonly Root[]>;
  /** Asks several questions in one round; answers come under the same keys. */
  readonly gather: (questions: {
    readonly [key: string]: InputRequest;
  }) => Promise<{ readonly [key: string]: unknown }>;
  /** Runs `run` at most once per request, however often the handler is re-run; its JSON result is what every run sees. */
  readonly once: <T>(key: string, run: () => T | Promise<T>) => Promise<T>;
  /** Turns the request into a task where the client supports it; elsewhere it does nothing. */
  readonly startTask: (options?: { readonly ttlMs?: number }) => Promise<void>;
  /** Lets the client poll instead of holding a stream open; does nothing on stdio. */
  readonly closeStream: () => void;
}
