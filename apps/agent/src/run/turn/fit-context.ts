import { estimateTokens } from '../../estimate-tokens.ts';
import type { Block, Message } from '../../ports/llm-provider.ts';

export interface FittedContext {
  readonly messages: readonly Message[];
  /** The results that are left out. */
  readonly leftOut: number;
}

/** Estimates are rough: this much of the room is taken for all of it. */
const USABLE_SHARE = 0.8;

/** When the room is full it is made this empty, so that the conversation then stays as it is for some turns, and providers can cache it. */
const AFTER_SHARE = 0.5;

/** The newest messages, which are never shortened: the last calls and their results. */
const KEPT_MESSAGES = 2;

/** What stays of a result, in characters. */
const KEPT_CHARACTERS = 200;

/** What is said and asked is kept; this stands for the rest of an old result. */
const NOTE =
  '[The rest of this result was left out: the conversation is long. Call the tool again if you need it.]';

/**
 * Leaves the oldest tool results out of a conversation that is too long for its model, whole turns at a time; calls keep their results, if only a line of
 * them. What was left out for one turn stays so for the next ones: the same history gives the same messages. The provider's own items of what was said
 * before are left out with them, being bound to what stood before. `budgetTokens` is the room for the messages; `Infinity` leaves all as it is.
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

/** A result that is short already is the same block. */
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
