import type { ContentBlock, JsonObject, JsonSchema } from '@signalbox/mcp-core';
import type { ModelCard } from './model-card.ts';

/** MCP content kept one to one, plus what only a model turn has. */
export type Block =
  | ContentBlock
  | {
      readonly type: 'tool_use';
      readonly id: string;
      readonly name: string;
      readonly input: JsonObject;
      /** Why the arguments cannot be used; such a call is never run. */ readonly invalid?: string;
      readonly rawInput?: string;
      /** Whether the limit of output tokens cut the arguments. */ readonly isCut?: boolean;
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
  /** The epoch of the run that it was said in. */
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
  /** Model id as the provider knows it; default the provider's configured one. */
  readonly model?: string;
  readonly system?: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  /** Default `auto`. A model that cannot be made to call a tool is left free, with a warning. */
  readonly toolChoice?: 'auto' | 'required' | 'none';
  /** What the last message, as JSON, should fit; a provider that cannot hold its model to it says nothing. */
  readonly outputSchema?: JsonSchema;
  readonly maxTokens: number;
  readonly temperature?: number;
  readonly stopSequences?: readonly string[];
  /** Stable per conversation; lets providers cache the prefix. */
  readonly cacheKey?: string;
  /** What the call is for; the scripted provider matches on it. */
  readonly purpose: 'agent' | 'sampling';
}

/** `input` counts the whole prompt, cached parts included. */
export interface Usage {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
  /** `partial`: the provider's final count did not come, or lacks the output; `estimated`: no count came at all. */
  readonly source: 'reported' | 'partial' | 'estimated';
  /** US dollars; undefined when a price is not known. */
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
 * In order: one `start`, any deltas, one `finish`. Folding the deltas gives the message of `finish`, except for `refusal` blocks and `native`, which come only there.
 * `index` counts the tool calls of the turn from 0.
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
  | {
      readonly type: 'finish';
      readonly stop: StopReason;
      readonly rawStop?: string;
      readonly usage: Usage;
      readonly model: string;
      readonly message: Message;
    };

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

/** The one error of this port. `message` says what happened, where, and what to do, and never holds a key. */
export class LlmError extends Error {
  readonly kind: LlmErrorKind;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly status: number | undefined;
  /** What the call used up to its failure; undefined when the provider took none of it. */
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

  /** The same failure, told or counted otherwise; this one is its cause. */
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
  /** `openai`, `anthropic` or `scripted`. */
  readonly provider: string;
  readonly model: string;
  /** True when answers come from scripts and not from a model. */
  readonly scripted: boolean;
  /** One line for people, shown at start and in every run when it matters; never a key. */
  readonly notice?: string;
}

export interface StreamOptions {
  readonly signal: AbortSignal;
  /** Longest wait inside the call that a provider may ask for, in milliseconds; a longer one throws with `retryAfterMs`. Default 60,000. */
  readonly patienceMs?: number;
}

export interface LlmProvider {
  readonly info: ProviderInfo;
  /** The configured model first, then those that the configuration names besides. */
  readonly models?: readonly ModelCard[];
  /** The card of any model, by id or alias; undefined where the provider has no models. */
  card(model: string): ModelCard | undefined;
  /**
   * One model call. Retries inside, and only before the first event; throws `LlmError`. Aborting the signal closes the connection and throws
   * `LlmError` of kind `aborted`. A stalled or cut stream throws (`timeout`, `network`), it never just ends.
   */
  stream(request: LlmRequest, options: StreamOptions): AsyncIterable<LlmEvent>;
}
