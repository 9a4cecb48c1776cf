import type OpenAI from 'openai';
import type { LlmEvent, NativeTurn, StopReason, Usage } from '../../ports/llm-provider.ts';
import { nativeProviderOf } from '../endpoint.ts';
import { tokensIn } from '../../usage/estimate-tokens.ts';
import { MessageBuilder } from '../message-builder.ts';
import type { TranslatorContext } from '../openai-provider.ts';
import { StopCutter } from '../stop-cutter.ts';
import { estimatedUsage, reportedUsage } from '../usage-counts.ts';
import { llmError, protocolError } from '../wire-failure.ts';

type Raw = OpenAI.Responses.ResponseStreamEvent;
type Item = OpenAI.Responses.ResponseOutputItem;
type Response = OpenAI.Responses.Response;

export interface TranslatorOptions extends TranslatorContext {
  /**
   * Characters after which text is cut, if the API allows no smaller token limit. Undefined: no
   * limit.
   */
  readonly maxCharacters: number | undefined;
}

/** Usage with optional details, as compatible servers send it. */
interface LenientUsage {
  readonly input_tokens?: unknown;
  readonly output_tokens?: unknown;
  readonly input_tokens_details?: {
    readonly cached_tokens?: unknown;
    readonly cache_write_tokens?: unknown;
  } | null;
  readonly output_tokens_details?: { readonly reasoning_tokens?: unknown } | null;
}

/** Progress of an output item. */
interface ItemState {
  readonly callIndex: number | undefined;
  streamed: string;
}

/**
 * Folds the raw events of one response. Unknown types are ignored, since minor API versions add
 * types.
 */
export class ResponsesTranslator {
  readonly #options: TranslatorOptions;
  readonly #builder = new MessageBuilder();
  readonly #items = new Map<number, ItemState>();
  readonly #done = new Map<number, Item>();
  readonly #cutter: StopCutter;
  #events: LlmEvent[] = [];
  #started = false;
  #calls = 0;
  #shown = 0;
  #textItem: number | undefined;
  #refusal: string | undefined;
  #model: string;

  constructor(options: TranslatorOptions) {
    this.#options = options;
    this.#cutter = new StopCutter(options.stopSequences);
    this.#model = options.model;
  }

  translate(raw: Raw): readonly LlmEvent[] {
    this.#events = [];
    if (raw.type === 'response.created') this.#start(raw.response);
    else if (!this.#started && raw.type.startsWith('response.')) this.#start(undefined);
    this.#take(raw);
    return this.#events;
  }

  /** Returns the usage so far. A response has no counts before its last event. */
  usage(): Usage {
    return estimatedUsage(this.#options.promptTokens, tokensIn(this.#builder.length));
  }

  #take(raw: Raw): void {
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the API has dozens of events for tools that are never offered
    switch (raw.type) {
      case 'response.output_item.added':
        this.#open(raw.output_index, raw.item);
        return;
      case 'response.output_text.delta':
        this.#text(raw.output_index, raw.delta);
        return;
      case 'response.refusal.delta':
        this.#refusal = (this.#refusal ?? '') + raw.delta;
        return;
      case 'response.reasoning_summary_part.added':
        if (raw.summary_index > 0) this.#emit({ type: 'reasoning', delta: '\n\n' });
        return;
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        this.#emit({ type: 'reasoning', delta: raw.delta });
        return;
      case 'response.function_call_arguments.delta':
        this.#arguments(raw.output_index, raw.delta);
        return;
      case 'response.output_item.done':
        this.#close(raw.output_index, raw.item);
        return;
      case 'response.completed':
      case 'response.incomplete':
        this.#finish(raw.response);
        return;
      case 'response.failed':
        throw llmError(
          {
            codes: [raw.response.error?.code ?? 'server_error'],
            text: raw.response.error?.message ?? 'the response failed',
          },
          this.#options.endpoint,
        );
      case 'error':
        throw llmError(streamError(raw), this.#options.endpoint);
    }
  }

  #start(response: Response | undefined): void {
    if (this.#started) return;
    this.#started = true;
    if (typeof response?.model === 'string') this.#model = response.model;
    const { requestId } = this.#options;
    this.#emit({
      type: 'start',
      model: this.#model,
      ...(typeof requestId === 'string' ? { requestId } : {}),
    });
    for (const message of this.#options.warnings) this.#emit({ type: 'warning', message });
  }

  #open(index: number, item: Item): ItemState {
    const known = this.#items.get(index);
    if (known !== undefined) return known;
    const state: ItemState = {
      callIndex: item.type === 'function_call' ? this.#calls : undefined,
      streamed: '',
    };
    this.#items.set(index, state);
    if (item.type !== 'function_call') return state;
    this.#flushText();
    this.#emit({ type: 'tool_start', index: this.#calls, id: item.call_id, name: item.name });
    this.#calls += 1;
    return state;
  }

  #text(index: number, delta: string): void {
    if (this.#isOver()) return;
    const state = this.#items.get(index) ?? { callIndex: undefined, streamed: '' };
    this.#items.set(index, state);
    state.streamed += delta;
    const separator = this.#textItem !== undefined && this.#textItem !== index ? '\n\n' : '';
    this.#textItem = index;
    const { text, hit } = this.#cutter.push(separator + delta);
    this.#show(text);
    if (hit !== undefined && !this.#isOver()) this.#cut('stop_sequence', hit);
  }

  /** Emits text and ends the answer at its maximum length. */
  #show(text: string): void {
    const { maxCharacters = Infinity } = this.#options;
    const room = maxCharacters - this.#shown;
    const kept = text.slice(0, Math.max(0, room));
    this.#shown += kept.length;
    if (kept !== '') this.#emit({ type: 'text', delta: kept });
    if (kept.length < text.length) this.#cut('max_tokens', 'max_output_tokens');
  }

  #arguments(index: number, delta: string): void {
    const state = this.#items.get(index);
    if (state?.callIndex === undefined)
      throw protocolError(
        `arguments for output item ${index}, which is no function call`,
        this.#options.endpoint,
      );
    state.streamed += delta;
    if (delta !== '') this.#emit({ type: 'tool_arguments', index: state.callIndex, delta });
  }

  /** Completes an item. A server without deltas sends the whole content here. */
  #close(index: number, item: Item): void {
    if (this.#isOver()) return;
    const state = this.#open(index, item);
    this.#done.set(index, item);
    if (item.type === 'function_call')
      this.#complete(item.arguments, state.streamed, (rest) => this.#arguments(index, rest));
    if (item.type !== 'message') return;
    const text = item.content
      .map((part) => (part.type === 'output_text' ? part.text : ''))
      .join('');
    this.#complete(text, state.streamed, (rest) => this.#text(index, rest));
    const refusal = item.content
      .map((part) => (part.type === 'refusal' ? part.refusal : ''))
      .join('');
    if (refusal !== '') this.#refusal ??= refusal;
  }

  #complete(whole: string, streamed: string, add: (rest: string) => void): void {
    if (whole === streamed) return;
    if (whole.startsWith(streamed)) add(whole.slice(streamed.length));
    else
      this.#emit({
        type: 'warning',
        message:
          'The streamed answer differs from the final answer of the provider; the streamed answer is used.',
      });
  }

  #finish(response: Response): void {
    if (this.#isOver()) return;
    for (const [index, item] of response.output.entries())
      if (!this.#done.has(index)) this.#close(index, item);
    if (this.#isOver()) return;
    this.#flushText();
    if (this.#isOver()) return;
    const rawStop = response.incomplete_details?.reason ?? response.status ?? 'completed';
    const stop = stopOf(response, { calls: this.#calls > 0, refused: this.#refusal !== undefined });
    const message = this.#builder.build(stop, { refusal: this.#refusal });
    const isUsable =
      response.status !== 'incomplete' &&
      message.content.every((block) => block.type !== 'tool_use' || block.invalid === undefined);
    const native = isUsable ? this.#native() : undefined;
    this.#emit({
      type: 'finish',
      stop,
      rawStop,
      usage: this.#usageOf(response.usage) ?? this.usage(),
      model: this.#model,
      message: { ...message, ...(native === undefined ? {} : { native }) },
    });
  }

  #usageOf(usage: LenientUsage | null | undefined): Usage | undefined {
    const {
      input_tokens: input,
      output_tokens: output,
      input_tokens_details: parts,
      output_tokens_details: details,
    } = usage ?? {};
    const counts = {
      input,
      cacheRead: parts?.cached_tokens,
      cacheWrite: parts?.cache_write_tokens,
      output,
      reasoning: details?.reasoning_tokens,
    };
    return reportedUsage(counts, tokensIn(this.#builder.length));
  }

  #cut(stop: 'stop_sequence' | 'max_tokens', rawStop: string): void {
    this.#emit({
      type: 'finish',
      stop,
      rawStop,
      usage: this.usage(),
      model: this.#model,
      message: this.#builder.build(stop),
    });
  }

  /**
   * Returns the items to replay. Nothing is stored with the provider, so reasoning can only be
   * returned encrypted, and its dependent items are rejected without it.
   */
  #native(): NativeTurn | undefined {
    const items = [...this.#done]
      .toSorted(([a], [b]) => a - b)
      .map(([, item]) => withArguments(item));
    if (
      items.length === 0 ||
      items.some((item) => item.type === 'reasoning' && typeof item.encrypted_content !== 'string')
    )
      return undefined;
    return {
      provider: nativeProviderOf(this.#options.endpoint),
      model: this.#options.model,
      items,
    };
  }

  #flushText(): void {
    this.#show(this.#cutter.flush());
  }

  #isOver(): boolean {
    return this.#events.at(-1)?.type === 'finish';
  }

  #emit(event: LlmEvent): void {
    this.#builder.add(event);
    this.#events.push(event);
  }
}

/** A call without arguments is accepted back only with an empty object. */
function withArguments(item: Item): Item {
  return item.type === 'function_call' && item.arguments.trim() === ''
    ? { ...item, arguments: '{}' }
    : item;
}

function stopOf(
  { status, incomplete_details: incomplete }: Response,
  { calls, refused }: { readonly calls: boolean; readonly refused: boolean },
): StopReason {
  if (incomplete?.reason === 'max_output_tokens') return 'max_tokens';
  if (incomplete?.reason === 'content_filter') return 'refusal';
  if (status === 'incomplete') return 'other';
  if (calls) return 'tool_use';
  return refused ? 'refusal' : 'end';
}

/** Converts an error event, which is documented as flat and also occurs nested under `error`. */
function streamError(
  raw: OpenAI.Responses.ResponseErrorEvent & {
    readonly error?: { readonly code?: string; readonly type?: string; readonly message?: string };
  },
): { codes: string[]; text: string } {
  const codes = [raw.code, raw.error?.code, raw.error?.type].filter(
    (code) => typeof code === 'string',
  );
  return { codes, text: raw.error?.message ?? raw.message };
}
