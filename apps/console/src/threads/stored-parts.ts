import type { Message } from '@signalbox/client';
import type { ChatCall, ChatPart } from './chat-part.ts';

type Block = Message['content'][number];

/** The input of a person, as far as the messages have it. */
export interface StoredPrompt {
  readonly text: string;
  readonly hasAttachments: boolean;
}

/** Returns the prompt of a run; undefined if the messages lack it. */
export function promptOf(messages: readonly Message[]): StoredPrompt | undefined {
  const first = messages.find(({ role }) => role === 'user');
  const text = textIn(first?.content[0]);
  if (first === undefined || text === undefined) return undefined;
  // A note about the attachments and the images follow the prompt.
  return { text, hasAttachments: first.turn === 0 && first.content.length > 1 };
}

/** Returns the texts and calls of the model in the messages of a run. */
export function storedParts(messages: readonly Message[]): readonly ChatPart[] {
  const results = resultsOf(messages);
  return messages.flatMap(({ id, role, turn, content }) =>
    role === 'assistant'
      ? content.flatMap((block, index) => partsOf(block, { key: `${id} ${index}`, turn, results }))
      : [],
  );
}

interface Place {
  readonly key: string;
  readonly turn: number;
  readonly results: ReadonlyMap<string, Block>;
}

function partsOf(block: Block, { key, turn, results }: Place): readonly ChatPart[] {
  const { type } = block;
  if (type === 'tool_use') return [callOf(block, { key, turn, results })];
  const text = textIn(block);
  if (text === undefined || text.trim() === '') return [];
  const kind = type === 'reasoning' ? 'reasoning' : 'text';
  return [{ kind, key, turn, text, isWriting: false }];
}

function callOf(block: Block, { key, turn, results }: Place): ChatCall {
  const result = results.get(String(block['id']));
  const isFailed = result?.['isError'] === true;
  return {
    kind: 'call',
    key,
    turn,
    name: String(block['name']),
    arguments: block['input'],
    // A call whose result is not in the messages was cancelled with its run.
    state: result === undefined ? 'cancelled' : isFailed ? 'failed' : 'done',
    result: result === undefined ? undefined : resultText(result['content']),
  };
}

function resultsOf(messages: readonly Message[]): ReadonlyMap<string, Block> {
  return new Map(
    messages.flatMap(({ content }) =>
      content.flatMap((block) =>
        block['type'] === 'tool_result' ? [[String(block['toolUseId']), block] as const] : [],
      ),
    ),
  );
}

/** Returns the texts of a result; other content is named by its type. */
function resultText(content: unknown): string {
  if (!Array.isArray(content)) return '';
  return content
    .map((block: unknown) => {
      const { type } = block as { readonly type?: unknown };
      return textIn(block as Block) ?? `[${String(type)}]`;
    })
    .join('\n');
}

function textIn(block: Block | undefined): string | undefined {
  const text = block?.['text'];
  return typeof text === 'string' ? text : undefined;
}
