/** A block of the content of a tool result, as far as the console knows its type. @see https://modelcontextprotocol.io/specification/2025-11-25/schema#contentblock */
export type ContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'link';
      readonly uri: string;
      readonly name: string | undefined;
      readonly mimeType: string | undefined;
    }
  | { readonly type: 'other'; readonly value: unknown };

/** A result of a tool, divided into its parts. */
export interface ToolResult {
  readonly blocks: readonly ContentBlock[];
  /** The structured content; undefined without one. */
  readonly structured: unknown;
  /** Whether a text block is a part of the structured content, which is then for programs. */
  readonly isStructuredShown: boolean;
}

/** Reads the result of a tool call. A value of an unknown shape becomes one block. */
export function readResult(result: unknown): ToolResult {
  if (!isObject(result) || !Array.isArray(result['content']))
    return {
      blocks: result === undefined ? [] : [{ type: 'other', value: result }],
      structured: undefined,
      isStructuredShown: false,
    };
  const structured = result['structuredContent'];
  const blocks = result['content'].map((block: unknown) => readBlock(block));
  const isPart = (block: ContentBlock): boolean =>
    block.type === 'text' && isObject(structured) && structured['content'] === block.text;
  return {
    // A server repeats its structured content as text for older clients.
    blocks: blocks.filter((block) => structured === undefined || !isJsonOf(block, structured)),
    structured,
    isStructuredShown: blocks.some(isPart),
  };
}

function readBlock(block: unknown): ContentBlock {
  if (!isObject(block)) return { type: 'other', value: block };
  const { type, text, data, mimeType, uri, name, resource } = block;
  if (type === 'text' && typeof text === 'string') return { type, text };
  if (isMedia(type) && typeof data === 'string' && typeof mimeType === 'string')
    return { type, data, mimeType };
  if (type === 'resource_link' && typeof uri === 'string')
    return { type: 'link', uri, name: textOrNone(name), mimeType: textOrNone(mimeType) };
  if (type === 'resource' && isObject(resource)) return readResource(resource) ?? other(block);
  return other(block);
}

function readResource(resource: { readonly [name: string]: unknown }): ContentBlock | undefined {
  const { text, blob, mimeType } = resource;
  if (typeof text === 'string') return { type: 'text', text };
  if (typeof blob !== 'string' || typeof mimeType !== 'string') return undefined;
  const kind = mimeType.split('/')[0];
  return isMedia(kind) ? { type: kind, data: blob, mimeType } : undefined;
}

function other(value: unknown): ContentBlock {
  return { type: 'other', value };
}

function isMedia(type: unknown): type is 'image' | 'audio' {
  return type === 'image' || type === 'audio';
}

function textOrNone(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Whether a block is the text of a JSON value. */
function isJsonOf(block: ContentBlock, value: unknown): boolean {
  if (block.type !== 'text') return false;
  try {
    return JSON.stringify(JSON.parse(block.text)) === JSON.stringify(value);
  } catch {
    return false;
  }
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
