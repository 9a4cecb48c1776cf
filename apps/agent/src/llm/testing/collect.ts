import type {
  Block,
  LlmEvent,
  LlmProvider,
  LlmRequest,
  Message,
} from '../../ports/llm-provider.ts';

export type Finish = Extract<LlmEvent, { type: 'finish' }>;

/** Reads a stream to its end. */
export async function collect(
  provider: LlmProvider,
  request: LlmRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly LlmEvent[]> {
  const events: LlmEvent[] = [];
  for await (const event of provider.stream(request, { signal })) events.push(event);
  return events;
}

export function finishOf(events: readonly LlmEvent[]): Finish {
  const last = events.at(-1);
  if (last?.type !== 'finish') throw new Error(`the stream ended with ${last?.type ?? 'nothing'}`);
  return last;
}

export function textOf(message: Message): string {
  return message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
}

export function callsOf(message: Message): readonly Extract<Block, { type: 'tool_use' }>[] {
  return message.content.flatMap((block) => (block.type === 'tool_use' ? [block] : []));
}

export function userText(text: string): Message {
  return { role: 'user', content: [{ type: 'text', text }] };
}

export function agentRequest(
  messages: readonly Message[],
  rest: Partial<LlmRequest> = {},
): LlmRequest {
  return { messages, tools: [], maxTokens: 1000, purpose: 'agent', ...rest };
}
