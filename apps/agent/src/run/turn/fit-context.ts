import { estimateTokens } from '../../usage/estimate-tokens.ts';
import type { Block, Message } from '../../ports/llm-provider.ts';

export interface FittedContext {
  readonly messages: readonly Message[];
  /** Number of results that are left out. */
  readonly leftOut: number;
}

/** Share of the context that counts as full, because token counts are estimates. */
const USABLE_SHARE = 0.8;

/**
 * Share of the context that is filled after cutting. The conversation then stays unchanged for some
 * turns, so that providers can cache it.
 */
const AFTER_SHARE = 0.5;

/** Newest messages, which are never shortened: the last calls and their results. */
const KEPT_MESSAGES = 2;

/** Characters kept of a shortened result. */
const KEPT_CHARACTERS = 200;

/** Replacement for the rest of an old result. Other content is never shortened. */
const NOTE =
  '[The rest of this result was left out: the conversation is long. Call the tool again if you need it.]';

/**
 * Shortens the oldest tool results of a conversation that is too long for its model, whole turns at
 * a time. Every call keeps a result. The same history always gives the same messages, so a result
 * that was shortened stays so. The provider's own items before the cut are dropped, because they
 * depend on the shortened content. `budgetTokens` is the limit for the messages; `Infinity`
 * shortens nothing.
 */
export function fitContext(messages: readonly Message[], budgetTokens: number): FittedContext {
  if (budgetTokens === Infinity) return { messages, leftOut: 0 };
  const full = messages.map((message) => estimateTokens(message.content));
  const short = messages.map((message) => estimateTokens(shortened(message).content));
  let cut = 0;
  let cutAt = 0;
  let size = 0;
  for (const [at, { role }] of messages.entries()) {
    size += full[at] ?? 0;
    if (role !== 'user' || size <= budgetTokens * USABLE_SHARE) continue;
    const last = at + 1 - KEPT_MESSAGES;
    const before = cut;
    for (; cut < last && size > budgetTokens * AFTER_SHARE; cut += 1)
      size -= (full[cut] ?? 0) - (short[cut] ?? 0);
    if (cut > before) cutAt = at;
  }
  const fitted = messages.map((message, at) =>
    at < cut ? shortened(message) : at < cutAt ? withoutNative(message) : message,
  );
  return {
    messages: fitted,
    leftOut: messages
      .slice(0, cut)
      .flatMap(({ content }) => content.filter((block) => shortBlock(block) !== block)).length,
  };
}

function shortened(message: Message): Message {
  const { role, content } = withoutNative(message);
  return { role, content: content.map(shortBlock) };
}

function withoutNative({ role, content }: Message): Message {
  return { role, content };
}

/** Shortens a result; a short result is returned unchanged. */
function shortBlock(block: Block): Block {
  if (block.type !== 'tool_result') return block;
  const text = block.content
    .map((part) => (part.type === 'text' ? part.text : `[${part.type}]`))
    .join('\n');
  const isShort =
    text.length <= KEPT_CHARACTERS + NOTE.length &&
    block.content.every(({ type }) => type === 'text') &&
    block.structuredContent === undefined;
  if (isShort) return block;
  const kept = text.slice(0, KEPT_CHARACTERS).toWellFormed();
  return {
    type: 'tool_result',
    toolUseId: block.toolUseId,
    content: [{ type: 'text', text: kept === '' ? NOTE : `${kept}\n${NOTE}` }],
    ...(block.isError === undefined ? {} : { isError: block.isError }),
  };
}
