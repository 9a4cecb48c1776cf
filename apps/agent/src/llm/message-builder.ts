import type { Block, LlmEvent, Message, NativeTurn, StopReason } from '../ports/llm-provider.ts';
import { AnswerBounds } from './answer-bounds.ts';
import { parseToolArguments } from './tool-arguments.ts';

interface CallDraft {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  rawInput: string;
}

type Draft = { readonly type: 'text' | 'reasoning'; text: string } | CallDraft;

/**
 * Folds the deltas of one turn into its message. Adjacent deltas of a kind form one block; tool
 * calls keep the position of their start.
 */
export class MessageBuilder {
  readonly #drafts: Draft[] = [];
  readonly #calls = new Map<number, CallDraft>();
  readonly #bounds = new AnswerBounds();

  /**
   * Adds an event.
   * @throws LlmError `too_large` when the message exceeds the limits of an answer
   */
  add(event: LlmEvent): void {
    this.#bounds.add(event);
    switch (event.type) {
      case 'text':
      case 'reasoning':
        this.#append(event.type, event.delta);
        return;
      case 'tool_start':
        this.#open({ type: 'tool_use', id: event.id, name: event.name, rawInput: '' }, event.index);
        return;
      case 'tool_arguments':
        this.#call(event.index).rawInput += event.delta;
        return;
      case 'start':
      case 'warning':
      case 'finish':
        return;
    }
  }

  /** Characters so far, to estimate the output without a count. */
  get length(): number {
    return this.#drafts.reduce(
      (sum, draft) => sum + (draft.type === 'tool_use' ? draft.rawInput.length : draft.text.length),
      0,
    );
  }

  get hasToolCalls(): boolean {
    return this.#drafts.some((draft) => draft.type === 'tool_use');
  }

  build(
    stop: StopReason,
    extra: { readonly refusal?: string | undefined; readonly native?: NativeTurn | undefined } = {},
  ): Message {
    const content: Block[] = this.#drafts.map((draft, position) =>
      toBlock(draft, isCut(stop) && position === this.#drafts.length - 1 ? stop : undefined),
    );
    if (extra.refusal !== undefined) content.push({ type: 'refusal', text: extra.refusal });
    return {
      role: 'assistant',
      content,
      ...(extra.native === undefined ? {} : { native: extra.native }),
    };
  }

  #append(type: 'text' | 'reasoning', delta: string): void {
    const last = this.#drafts.at(-1);
    if (last?.type === type) last.text += delta;
    else this.#drafts.push({ type, text: delta });
  }

  #open(call: CallDraft, index: number): void {
    this.#drafts.push(call);
    if (!this.#calls.has(index)) this.#calls.set(index, call);
  }

  #call(index: number): CallDraft {
    const call = this.#calls.get(index);
    if (call === undefined)
      throw new Error(`arguments came for tool call ${index}, which was not started`);
    return call;
  }
}

/**
 * Whether the last block may be unfinished, in which case empty arguments are not a call without
 * arguments.
 */
function isCut(stop: StopReason): boolean {
  return stop === 'max_tokens' || stop === 'context_full' || stop === 'refusal' || stop === 'other';
}

/** Returns a finished block. `cutBy`: stop reason that left it unfinished. */
function toBlock(draft: Draft, cutBy: StopReason | undefined): Block {
  if (draft.type !== 'tool_use') return { type: draft.type, text: draft.text };
  const call = { type: 'tool_use', id: draft.id, name: draft.name } as const;
  if (cutBy !== undefined) {
    const cut = {
      ...call,
      input: {},
      invalid: 'the answer was cut off before the arguments were complete',
      rawInput: draft.rawInput,
    };
    return cutBy === 'max_tokens' ? { ...cut, isCut: true } : cut;
  }
  return { ...call, ...parseToolArguments(draft.rawInput) };
}
