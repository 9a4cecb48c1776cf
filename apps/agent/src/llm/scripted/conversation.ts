import type { JsonObject } from '@signalbox/mcp-core';
import type { Block, LlmRequest, Message } from '../../ports/llm-provider.ts';

type ToolResult = Extract<Block, { type: 'tool_result' }>;

export interface PastCall {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
  /** Number of assistant messages before the call's message in the whole history. */
  readonly ordinal: number;
  readonly result: ToolResult | undefined;
}

/** The part of a conversation that scripts match: the latest user text and the turns since. */
export interface Conversation {
  readonly lastUser: string;
  /** Turn of the model after `lastUser`, from 1. */
  readonly turn: number;
  /** Calls since `lastUser`, in order. */
  readonly calls: readonly PastCall[];
  /** Calls of the newest assistant message, if their results follow it. */
  readonly newest: readonly PastCall[];
  /** Number of assistant messages in the whole history. */
  readonly ordinal: number;
}

export function readConversation(request: LlmRequest): Conversation {
  const { messages } = request;
  const promptAt = messages.findLastIndex(isPrompt);
  const prompt = messages[promptAt];
  const results = new Map(
    messages.flatMap(({ content }) =>
      content.flatMap((block) =>
        block.type === 'tool_result' ? [[block.toolUseId, block] as const] : [],
      ),
    ),
  );
  const answers = messages.flatMap((message, at) =>
    message.role === 'assistant' ? [{ message, at }] : [],
  );
  const since = answers.flatMap(({ message, at }, ordinal) =>
    at > promptAt ? [callsOf(message, ordinal, results)] : [],
  );
  return {
    lastUser: prompt === undefined ? '' : textsOf(prompt).join('\n'),
    turn: since.length + 1,
    calls: since.flat(),
    newest: (since.at(-1) ?? []).filter((call) => call.result !== undefined),
    ordinal: answers.length,
  };
}

/** Beginnings of texts that the service adds to messages of the user and that ask for nothing. */
const NOTES = [
  '[Note of the service, not of the user: the tools have changed.',
  '[The user attached artifacts. ',
];

/**
 * Whether a message has a text of the user. After a run that was cancelled, the results of its calls
 * and the next prompt are in one message.
 */
function isPrompt(message: Message): boolean {
  return message.role === 'user' && textsOf(message).length > 0;
}

function textsOf({ content }: Message): readonly string[] {
  return content.flatMap((block) =>
    block.type === 'text' && !NOTES.some((note) => block.text.startsWith(note)) ? [block.text] : [],
  );
}

function callsOf(
  message: Message,
  ordinal: number,
  results: ReadonlyMap<string, ToolResult>,
): PastCall[] {
  return message.content.flatMap((block) =>
    block.type === 'tool_use'
      ? [
          {
            id: block.id,
            name: block.name,
            input: block.input,
            ordinal,
            result: results.get(block.id),
          },
        ]
      : [],
  );
}
