type JsonObject = { readonly [name: string]: unknown };

/** A part of a sampling message. `text` is undefined for a part that is no text. */
export interface MessagePart {
  /** Place of the part among all messages, such as `0/1`. */
  readonly place: string;
  readonly text: string | undefined;
  readonly block: unknown;
}

/** Returns the parts of a sampling message, whose content is a block or a list of blocks. */
export function messageTexts(message: JsonObject, index: number): readonly MessagePart[] {
  return blocksOf(message['content']).map((block, part) => ({
    place: `${index}/${part}`,
    text: textOf(block),
    block,
  }));
}

/** Returns the messages with other texts at the given places. */
export function changedMessages(
  messages: readonly JsonObject[],
  texts: { readonly [place: string]: string },
): Record<string, unknown>[] {
  return messages.map((message, index) => {
    const blocks = blocksOf(message['content']).map((block, part) => {
      const text = texts[`${index}/${part}`];
      return text !== undefined && isObject(block) ? { ...block, text } : block;
    });
    return { ...message, content: Array.isArray(message['content']) ? blocks : blocks[0] };
  });
}

function blocksOf(content: unknown): readonly unknown[] {
  return Array.isArray(content) ? content : [content];
}

function textOf(block: unknown): string | undefined {
  if (!isObject(block) || block['type'] !== 'text') return undefined;
  return typeof block['text'] === 'string' ? block['text'] : undefined;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null;
}
