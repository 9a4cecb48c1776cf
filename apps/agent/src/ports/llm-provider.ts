import type { ContentBlock, JsonObject, JsonSchema } from '@signalbox/mcp-core';
import type { Effort } from './model-settings.ts';
import type { ModelCard } from './model-card.ts';

/** A content block: every MCP content type, and the types that only model messages have. */
export type Block =
  | ContentBlock
  | {
      readonly type: 'tool_use';
      readonly id: string;
      readonly name: string;
      readonly input: JsonObject;
      /** Reason why the arguments are unusable. The call is not executed. */ readonly invalid?: string;
      readonly rawInput?: string;
      /** Whether the output token limit truncated the arguments. */ readonly isCut?: boolean;
    }
  | {
      readonly type: 'tool_result';
      readonly toolUseId: string;
      readonly content: readonly ContentBlock[];
      readonly structuredContent?: unknown;
      readonly isError?: boolean;
    }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'refusal'; readonly text: string };

/** A provider's own output items, replayed verbatim to the same provider and model only. */
export interface NativeTurn {
  /** Epoch of the run in which the message was written. */
  readonly epoch?: string;
  readonly provider: string;
  readonly model: string;
  readonly items: readonly unknown[];
}

export interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: readonly Block[];
  readonly native?: NativeTurn;
}

export interface ToolSpec {
  /** The wire name, `^[a-zA-Z0-9_-]{1,64}$`. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

export interface LlmRequest {
  /** Provider's model id. Default: the configured model. */
  readonly model?: string;
  readonly system?: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  /**
   * Default: `auto`. For a model that cannot be forced to call a tool, `required` becomes a
   * warning.
   */
  readonly toolChoice?: 'auto' | 'required' | 'none';
  /**
   * JSON Schema that the last message should match. Ignored by providers without structured output.
   */
  readonly outputSchema?: JsonSchema;
  readonly maxTokens: number;
  /** Left out with a warning for a model that does not accept it. */
  readonly temperature?: number;
  /** Reasoning effort. Left out with a warning for a model that does not accept it. */
  readonly effort?: Effort;
  readonly stopSequences?: readonly string[];
  /** Cache key of the prompt prefix, stable per conversation. */
  readonly cacheKey?: string;
  /** Purpose of the call, which the scripted provider matches on. */
  readonly purpose: 'agent' | 'sampling';
}

/** Token counts. `input` includes the cached parts of the prompt. */
export interface Usage {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
  /**
   * `partial`: the provider's final count is missing or incomplete; `estimated`: the provider sent
   * no count.
   */
  readonly source: 'reported' | 'partial' | 'estimated';
  /** US dollars; undefined without a known price. */
  readonly costUsd?: number;
}

export type StopReason =
  | 'end'
  | 'tool_use'
  | 'max_tokens'
  | 'stop_sequence'
  | 'context_full'
  | 'refusal'
  | 'pause'
  | 'other';

/**
 * Event of a model call, in the order: one `start`, any deltas, one `finish`. The deltas add up to
 * the message of `finish`, except for `refusal` blocks and `native`. `index` is the zero-based
 * position among the tool calls of the turn.
 */
export type LlmEvent =
  | { readonly type: 'start'; readonly model: string; readonly requestId?: string }
  | { readonly type: 'text'; readonly delta: string }
  | { readonly type: 'reasoning'; readonly delta: string }
  | {
      readonly type: 'tool_start';
      readonly index: number;
      readonly id: string;
      readonly name: string;
    }
  | { readonly type: 'tool_arguments'; readonly index: number; readonly delta: string }
  | { readonly type: 'warning'; readonly message: string }
  | LlmFinish;

/** Last event of a stream: the whole message and its usage. */
export interface LlmFinish {
  readonly type: 'finish';
  readonly stop: StopReason;
  readonly rawStop?: string;
  readonly usage: Usage;
  readonly model: string;
  readonly message: Message;
}

export type LlmErrorKind =
  | 'auth'
  | 'quota'
  | 'rate'
  | 'overloaded'
  | 'invalid'
  | 'context'
  | 'timeout'
  | 'network'
  | 'aborted'
  | 'protocol'
  | 'too_large';

/** Error of a model call. `message` says what happened, where, and what to do, without secrets. */
export class LlmError extends Error {
  readonly kind: LlmErrorKind;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly status: number | undefined;
  /** Usage up to the failure. Undefined if the provider processed nothing. */
  readonly usage: Usage | undefined;

  constructor(
    kind: LlmErrorKind,
    message: string,
    options: {
      retryable?: boolean;
      retryAfterMs?: number | undefined;
      status?: number | undefined;
      usage?: Usage | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'LlmError';
    this.kind = kind;
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs;
    this.status = options.status;
    this.usage = options.usage;
  }

  /** Returns a copy with another message or usage, and this error as its cause. */
  with(changes: { readonly message?: string; readonly usage?: Usage }): LlmError {
    const { kind, retryable, retryAfterMs, status } = this;
    return new LlmError(kind, changes.message ?? this.message, {
      retryable,
      retryAfterMs,
      status,
      usage: changes.usage ?? this.usage,
      cause: this.cause ?? this,
    });
  }
}

export interface ProviderInfo {
  /** Name of the provider. */
  readonly provider: string;
  readonly model: string;
  /** Whether responses come from scripts instead of a model. */
  readonly scripted: boolean;
  /** Notice of one line for people, shown at start and in affected runs. Without secrets. */
  readonly notice?: string;
}

export interface StreamOptions {
  readonly signal: AbortSignal;
  /**
   * Maximum retry delay within the call in milliseconds; a longer delay throws with `retryAfterMs`.
   * 0: a failed request is not retried. Default: 60,000.
   */
  readonly patienceMs?: number;
}

export interface LlmProvider {
  readonly info: ProviderInfo;
  /** The configured model, followed by the further models of the configuration. */
  readonly models?: readonly ModelCard[];
  /** Returns the card of a model by id or alias. Undefined for a provider without models. */
  card(model: string): ModelCard | undefined;
  /**
   * Streams one model call. Retries only before the first event, then throws `LlmError`. Aborting
   * the signal closes the connection and throws `LlmError` of kind `aborted`. A stalled or
   * truncated stream throws `timeout` or `network`.
   */
  stream(request: LlmRequest, options: StreamOptions): AsyncIterable<LlmEvent>;
}
