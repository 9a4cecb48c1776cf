import type Anthropic from '@anthropic-ai/sdk';
import type { LlmEvent, StopReason, Usage } from '../../ports/llm-provider.ts';
import { type Endpoint, nativeProviderOf } from '../endpoint.ts';
import { tokensIn } from '../../usage/estimate-tokens.ts';
import { MessageBuilder } from '../message-builder.ts';
import { parseToolArguments } from '../tool-arguments.ts';
import { estimatedUsage, reportedUsage, tokenCount } from '../usage-counts.ts';
import { protocolError } from '../wire-failure.ts';

type Raw = Anthropic.RawMessageStreamEvent;
/** Usage as compatible servers send it. */
type RawUsage = {
  readonly [
    Name in
      | 'input_tokens'
      | 'output_tokens'
      | 'cache_read_input_tokens'
      | 'cache_creation_input_tokens'
  ]?: unknown;
} & { readonly output_tokens_details?: { readonly thinking_tokens?: unknown } };

export interface TranslatorOptions {
  readonly endpoint: Endpoint;
  /** The requested model, to which native blocks are bound. */
  readonly model: string;
  readonly requestId: string | null | undefined;
  readonly warnings: readonly string[];
  /** Estimated input tokens, used if the stream ends without a count. */
  readonly promptTokens: number;
}

type Draft =
  | { readonly type: 'text'; text: string }
  | { readonly type: 'thinking'; thinking: string; signature: string }
  | {
      readonly type: 'tool_use';
      readonly id: string;
      readonly name: string;
      readonly index: number;
      readonly given: unknown;
      json: string;
    }
  | { readonly type: 'verbatim'; readonly block: Anthropic.ContentBlock };

const STOPS: { readonly [reason: string]: StopReason } = {
  end_turn: 'end',
  max_tokens: 'max_tokens',
  stop_sequence: 'stop_sequence',
  tool_use: 'tool_use',
  pause_turn: 'pause',
  refusal: 'refusal',
  model_context_window_exceeded: 'context_full',
};

/**
 * Folds the raw events of one message.
 * @see https://platform.claude.com/docs/en/build-with-claude/streaming
 */
export class MessagesTranslator {
  readonly #options: TranslatorOptions;
  readonly #builder = new MessageBuilder();
  readonly #drafts = new Map<number, Draft>();
  #events: LlmEvent[] = [];
  #calls = 0;
  #model: string;
  #usage: RawUsage = {};
  #hasFinalUsage = false;
  #rawStop: string | undefined;
  #refusal: string | undefined;

  constructor(options: TranslatorOptions) {
    this.#options = options;
    this.#model = options.model;
  }

  translate(raw: Raw): readonly LlmEvent[] {
    this.#events = [];
    switch (raw.type) {
      case 'message_start':
        this.#start(raw.message);
        break;
      case 'content_block_start':
        this.#open(raw.index, raw.content_block);
        break;
      case 'content_block_delta':
        this.#delta(raw.index, raw.delta);
        break;
      case 'content_block_stop':
        this.#close(raw.index);
        break;
      case 'message_delta':
        this.#rawStop = raw.delta.stop_reason ?? this.#rawStop;
        this.#refusal = raw.delta.stop_details?.explanation ?? this.#refusal;
        this.#countFinal(raw.usage);
        break;
      case 'message_stop':
        this.#finish();
        break;
    }
    return this.#events;
  }

  usage(): Usage {
    const {
      input_tokens: uncached,
      cache_read_input_tokens: cacheRead,
      cache_creation_input_tokens: cacheWrite,
      output_tokens: output,
      output_tokens_details: details,
    } = this.#usage;
    const estimatedOutput = tokensIn(this.#builder.length);
    const prompt = tokenCount(uncached);
    const input =
      prompt === undefined
        ? undefined
        : prompt + (tokenCount(cacheRead) ?? 0) + (tokenCount(cacheWrite) ?? 0);
    const counts = {
      input,
      cacheRead,
      cacheWrite,
      output: this.#hasFinalUsage ? output : undefined,
      reasoning: details?.thinking_tokens,
    };
    return (
      reportedUsage(counts, estimatedOutput) ??
      estimatedUsage(this.#options.promptTokens, estimatedOutput)
    );
  }

  #start(message: Anthropic.Message): void {
    this.#model = message.model;
    this.#count(message.usage);
    const { requestId } = this.#options;
    this.#emit({
      type: 'start',
      model: message.model,
      ...(typeof requestId === 'string' ? { requestId } : {}),
    });
    for (const warning of this.#options.warnings) this.#emit({ type: 'warning', message: warning });
  }

  #open(index: number, block: Anthropic.ContentBlock): void {
    if (block.type === 'text') {
      const text = orEmpty(block.text);
      this.#drafts.set(index, { type: 'text', text });
      if (text !== '') this.#emit({ type: 'text', delta: text });
    } else if (block.type === 'thinking') {
      const thinking = orEmpty(block.thinking);
      this.#drafts.set(index, {
        type: 'thinking',
        thinking,
        signature: orEmpty(block.signature),
      });
      if (thinking !== '') this.#emit({ type: 'reasoning', delta: thinking });
    } else if (block.type === 'tool_use') {
      this.#drafts.set(index, {
        type: 'tool_use',
        id: block.id,
        name: block.name,
        index: this.#calls,
        given: block.input,
        json: '',
      });
      this.#emit({ type: 'tool_start', index: this.#calls, id: block.id, name: block.name });
      this.#calls += 1;
    } else {
      this.#drafts.set(index, { type: 'verbatim', block });
    }
  }

  #delta(index: number, delta: Anthropic.RawContentBlockDelta): void {
    const draft = this.#drafts.get(index);
    if (draft?.type === 'text' && delta.type === 'text_delta') {
      draft.text += delta.text;
      this.#emit({ type: 'text', delta: delta.text });
    } else if (draft?.type === 'thinking' && delta.type === 'thinking_delta') {
      draft.thinking += delta.thinking;
      this.#emit({ type: 'reasoning', delta: delta.thinking });
    } else if (draft?.type === 'thinking' && delta.type === 'signature_delta') {
      draft.signature += delta.signature;
    } else if (draft?.type === 'tool_use' && delta.type === 'input_json_delta') {
      draft.json += delta.partial_json;
      if (delta.partial_json !== '')
        this.#emit({ type: 'tool_arguments', index: draft.index, delta: delta.partial_json });
    } else if (delta.type !== 'citations_delta' && draft?.type !== 'verbatim') {
      throw protocolError(
        `a ${delta.type} for content block ${index}, which is ${draft === undefined ? 'not open' : `of type ${draft.type}`}`,
        this.#options.endpoint,
      );
    }
  }

  /** Completes a block. Some compatible servers send the whole input when the block starts. */
  #close(index: number): void {
    const draft = this.#drafts.get(index);
    if (
      draft?.type !== 'tool_use' ||
      draft.json !== '' ||
      typeof draft.given !== 'object' ||
      draft.given === null ||
      Object.keys(draft.given).length === 0
    )
      return;
    draft.json = JSON.stringify(draft.given);
    this.#emit({ type: 'tool_arguments', index: draft.index, delta: draft.json });
  }

  #finish(): void {
    const rawStop = this.#rawStop ?? 'none';
    const mapped = STOPS[rawStop] ?? 'other';
    const stop = mapped === 'end' && this.#calls > 0 ? 'tool_use' : mapped;
    const items = this.#nativeItems();
    const native =
      items.length === 0
        ? undefined
        : { provider: nativeProviderOf(this.#options.endpoint), model: this.#options.model, items };
    const message = this.#builder.build(stop, {
      refusal: stop === 'refusal' ? this.#refusal : undefined,
      native,
    });
    this.#emit({ type: 'finish', stop, rawStop, usage: this.usage(), model: this.#model, message });
  }

  /**
   * Returns the blocks to replay, without those that the API rejects: blank text, and thinking
   * truncated before its signature.
   */
  #nativeItems(): unknown[] {
    return [...this.#drafts]
      .toSorted(([a], [b]) => a - b)
      .flatMap(([, draft]): unknown[] => {
        switch (draft.type) {
          case 'text':
            return draft.text.trim() === '' ? [] : [{ type: 'text', text: draft.text }];
          case 'thinking':
            return draft.signature === ''
              ? []
              : [{ type: 'thinking', thinking: draft.thinking, signature: draft.signature }];
          case 'tool_use':
            return [
              {
                type: 'tool_use',
                id: draft.id,
                name: draft.name,
                input: parseToolArguments(draft.json).input,
              },
            ];
          case 'verbatim':
            return [draft.block];
        }
      });
  }

  /**
   * Merges cumulative and possibly partial counts: present values replace earlier ones. Compatible
   * servers may send none.
   */
  #count(usage: RawUsage | Anthropic.MessageDeltaUsage | undefined): void {
    const present = Object.entries(usage ?? {}).filter(
      ([, value]) => value !== null && value !== undefined,
    );
    this.#usage = { ...this.#usage, ...(Object.fromEntries(present) as RawUsage) }; // entries of a usage
  }

  #countFinal(usage: Anthropic.MessageDeltaUsage | undefined): void {
    this.#count(usage);
    if (usage !== undefined) this.#hasFinalUsage = true;
  }

  #emit(event: LlmEvent): void {
    this.#builder.add(event);
    this.#events.push(event);
  }
}

/** Returns a text at the start of a block. Some compatible servers leave it out while it is empty. */
function orEmpty(text: string | undefined): string {
  return text ?? '';
}
