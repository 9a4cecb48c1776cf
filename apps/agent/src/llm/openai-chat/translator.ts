import { createHash } from 'node:crypto';
import type OpenAI from 'openai';
import type { LlmEvent, NativeTurn, StopReason, Usage } from '../../ports/llm-provider.ts';
import { nativeProviderOf } from '../endpoint.ts';
import { tokensIn } from '../../usage/estimate-tokens.ts';
import { MessageBuilder } from '../message-builder.ts';
import type { TranslatorContext } from '../openai-provider.ts';
import { StopCutter } from '../stop-cutter.ts';
import { estimatedUsage, reportedUsage } from '../usage-counts.ts';
import { llmError, protocolError } from '../wire-failure.ts';

type Chunk = OpenAI.ChatCompletionChunk;
type CallDelta = NonNullable<Chunk['choices'][number]['delta']['tool_calls']>[number];

export interface TranslatorOptions extends TranslatorContext {
  /** Stop sequences that the server cannot handle. */
  readonly cutAt: readonly string[];
}

/** A chunk with the additions and omissions of compatible servers. */
interface LenientChunk {
  readonly id?: string;
  readonly model?: string;
  readonly choices?: readonly LenientChoice[];
  readonly usage?: LenientUsage | null;
  readonly error?:
    | { readonly message?: string; readonly code?: unknown; readonly type?: unknown }
    | string;
}

interface LenientChoice {
  readonly index?: number;
  readonly delta?: LenientDelta;
  readonly finish_reason?: string | null;
  /** Stop sequence that was found, sent by vLLM. */
  readonly stop_reason?: unknown;
}

interface LenientDelta {
  readonly content?: string | null;
  readonly refusal?: string | null;
  readonly reasoning_content?: string | null;
  readonly reasoning?: string | null;
  readonly tool_calls?: readonly CallDelta[] | null;
}

interface LenientUsage {
  readonly prompt_tokens?: unknown;
  readonly completion_tokens?: unknown;
  readonly prompt_tokens_details?: {
    readonly cached_tokens?: unknown;
    readonly cache_write_tokens?: unknown;
  } | null;
  readonly completion_tokens_details?: { readonly reasoning_tokens?: unknown } | null;
}

interface CallDraft {
  readonly id: string;
  readonly name: string;
  readonly index: number;
  /** Further fields of the call, to be returned to the server. */
  readonly extra: object;
  json: string;
}

const STOPS: { readonly [reason: string]: StopReason } = {
  stop: 'end',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
};

/**
 * Folds the chunks of one completion. The chunk after the stop reason holds the usage; servers omit
 * it or send it with the stop reason.
 */
export class ChatTranslator {
  readonly #options: TranslatorOptions;
  readonly #builder = new MessageBuilder();
  readonly #cutter: StopCutter;
  readonly #calls: CallDraft[] = [];
  readonly #callAt = new Map<number, CallDraft>();
  readonly #thinking = { field: 'reasoning_content', text: '' };
  #events: LlmEvent[] = [];
  #started = false;
  #completionId = '';
  #text = '';
  #refusal: string | undefined;
  #rawStop: string | undefined;
  #stopSequence: string | undefined;
  #usage: Usage | undefined;
  #model: string;

  constructor(options: TranslatorOptions) {
    this.#options = options;
    this.#cutter = new StopCutter(options.cutAt);
    this.#model = options.model;
  }

  /** Translates a chunk, whose contents may differ from the API's types. */
  translate(raw: LenientChunk): readonly LlmEvent[] {
    this.#events = [];
    this.#take(raw);
    return this.#events;
  }

  /** Returns the final events; none without a stop reason. */
  end(): readonly LlmEvent[] {
    this.#events = [];
    if (this.#rawStop !== undefined) this.#finish(this.#rawStop);
    return this.#events;
  }

  usage(): Usage {
    return (
      this.#usage ?? estimatedUsage(this.#options.promptTokens, tokensIn(this.#builder.length))
    );
  }

  #take(chunk: LenientChunk): void {
    if (chunk.error !== undefined) throw llmError(streamError(chunk.error), this.#options.endpoint);
    this.#start(chunk);
    const usage = this.#usageOf(chunk.usage);
    if (usage !== undefined) this.#usage = usage;
    const [choice] = chunk.choices ?? [];
    if (choice !== undefined) this.#choice(choice);
    if (this.#rawStop !== undefined && usage !== undefined && !this.#isOver())
      this.#finish(this.#rawStop);
  }

  #usageOf(usage: LenientUsage | null | undefined): Usage | undefined {
    const {
      prompt_tokens: prompt,
      completion_tokens: output,
      prompt_tokens_details: input,
      completion_tokens_details: details,
    } = usage ?? {};
    const counts = {
      input: prompt,
      cacheRead: input?.cached_tokens,
      cacheWrite: input?.cache_write_tokens,
      output,
      reasoning: details?.reasoning_tokens,
    };
    return reportedUsage(counts, tokensIn(this.#builder.length));
  }

  #start({ id, model }: LenientChunk): void {
    if (this.#started) return;
    this.#started = true;
    this.#completionId = id ?? '';
    if (typeof model === 'string' && model !== '') this.#model = model;
    const { requestId } = this.#options;
    const named = typeof requestId === 'string' ? requestId : id;
    this.#emit({
      type: 'start',
      model: this.#model,
      ...(named === undefined || named === '' ? {} : { requestId: named }),
    });
    for (const message of this.#options.warnings) this.#emit({ type: 'warning', message });
  }

  #choice({ delta = {}, finish_reason: reason, stop_reason: sequence }: LenientChoice): void {
    this.#think('reasoning_content', delta.reasoning_content);
    // Some servers send the same text in both fields.
    if (typeof delta.reasoning_content !== 'string') this.#think('reasoning', delta.reasoning);
    if (typeof delta.content === 'string' && delta.content !== '') this.#say(delta.content);
    if (this.#isOver()) return;
    if (typeof delta.refusal === 'string') this.#refusal = (this.#refusal ?? '') + delta.refusal;
    for (const call of delta.tool_calls ?? []) this.#call(call);
    if (typeof reason === 'string' && reason !== '') this.#rawStop = reason;
    if (typeof sequence === 'string' && this.#options.stopSequences.includes(sequence))
      this.#stopSequence = sequence;
  }

  #think(field: string, delta: string | null | undefined): void {
    if (typeof delta !== 'string' || delta === '') return;
    this.#thinking.field = field;
    this.#thinking.text += delta;
    this.#emit({ type: 'reasoning', delta });
  }

  #say(delta: string): void {
    const { text, hit } = this.#cutter.push(delta);
    this.#show(text);
    if (hit === undefined) return;
    this.#emit({
      type: 'finish',
      stop: 'stop_sequence',
      rawStop: hit,
      usage: this.usage(),
      model: this.#model,
      message: this.#builder.build('stop_sequence'),
    });
  }

  /**
   * Returns the tool call of a delta. Servers number the calls of a turn, or send each one whole
   * under the same number, so a new id is a new call.
   */
  #call(delta: CallDelta): void {
    const {
      index = this.#calls.length,
      id,
      function: { name, arguments: json } = {},
      type: _,
      ...extra
    } = delta as Partial<CallDelta>; // compatible servers leave things out
    const open = this.#callAt.get(index);
    const isNew =
      open === undefined ||
      (name !== undefined && name !== '' && id !== undefined && id !== '' && id !== open.id);
    const call = isNew ? this.#openCall({ index, id, name, extra }) : open;
    if (json === undefined || json === '') return;
    call.json += json;
    this.#emit({ type: 'tool_arguments', index: call.index, delta: json });
  }

  #openCall({
    index,
    id,
    name,
    extra,
  }: {
    readonly index: number;
    readonly id: string | undefined;
    readonly name: string | undefined;
    readonly extra: object;
  }): CallDraft {
    if (name === undefined || name === '')
      throw protocolError(
        `arguments for tool call ${index}, which has no name`,
        this.#options.endpoint,
      );
    this.#flush();
    const call: CallDraft = {
      id: id === undefined || id === '' ? this.#madeUpId() : id,
      name,
      index: this.#calls.length,
      extra,
      json: '',
    };
    this.#calls.push(call);
    this.#callAt.set(index, call);
    this.#emit({ type: 'tool_start', index: call.index, id: call.id, name });
    return call;
  }

  #madeUpId(): string {
    return `call_${createHash('sha256').update(`${this.#completionId} ${this.#calls.length}`).digest('hex').slice(0, 24)}`;
  }

  #finish(rawStop: string): void {
    this.#flush();
    const stop = this.#stopOf(rawStop);
    const message = this.#builder.build(stop, {
      refusal: stop === 'refusal' ? this.#refusal : undefined,
    });
    const native = stop === 'end' || stop === 'tool_use' ? this.#native() : undefined;
    this.#emit({
      type: 'finish',
      stop,
      rawStop: this.#stopSequence ?? rawStop,
      usage: this.usage(),
      model: this.#model,
      message: { ...message, ...(native === undefined ? {} : { native }) },
    });
  }

  #stopOf(rawStop: string): StopReason {
    const known = STOPS[rawStop] ?? 'other';
    if (known === 'max_tokens' || known === 'refusal' || known === 'other') return known;
    if (this.#calls.length > 0) return 'tool_use';
    if (this.#refusal !== undefined) return 'refusal';
    return this.#stopSequence === undefined ? 'end' : 'stop_sequence';
  }

  /**
   * Returns the server's message with its own fields, such as thinking and signatures of calls.
   * Calls with unusable arguments are replayed without them.
   */
  #native(): NativeTurn | undefined {
    const isSpecial =
      this.#thinking.text !== '' || this.#calls.some(({ extra }) => Object.keys(extra).length > 0);
    const isUsable = this.#builder
      .build('end')
      .content.every((block) => block.type !== 'tool_use' || block.invalid === undefined);
    if (!isSpecial || !isUsable || this.#refusal !== undefined) return undefined;
    const calls = this.#calls.map(({ id, name, extra, json }) => ({
      ...extra,
      id,
      type: 'function',
      function: { name, arguments: json.trim() === '' ? '{}' : json },
    }));
    const isSilent = this.#text.trim() === '';
    if (isSilent && calls.length === 0) return undefined;
    const item = {
      role: 'assistant',
      ...(isSilent ? {} : { content: this.#text }),
      ...(this.#thinking.text === '' ? {} : { [this.#thinking.field]: this.#thinking.text }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    };
    return {
      provider: nativeProviderOf(this.#options.endpoint),
      model: this.#options.model,
      items: [item],
    };
  }

  #flush(): void {
    this.#show(this.#cutter.flush());
  }

  #show(text: string): void {
    if (text === '') return;
    this.#text += text;
    this.#emit({ type: 'text', delta: text });
  }

  #isOver(): boolean {
    return this.#events.at(-1)?.type === 'finish';
  }

  #emit(event: LlmEvent): void {
    this.#builder.add(event);
    this.#events.push(event);
  }
}

function streamError(error: NonNullable<LenientChunk['error']>): {
  readonly codes: string[];
  readonly text: string;
} {
  if (typeof error === 'string') return { codes: [], text: error };
  return {
    codes: [error.code, error.type].filter((code) => typeof code === 'string'),
    text: error.message ?? '',
  };
}
