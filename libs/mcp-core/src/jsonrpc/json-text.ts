import type { JsonObject, JsonRpcBatch, JsonRpcMessage } from './messages.ts';
import { SerializedJson, serializedLength, sourceOf } from './serialized-json.ts';

const TEXT = Symbol('JSON text');
/** A random placeholder that cannot occur in a message. */
let placeholder: string | undefined;

/**
 * Freezes a result and stores its JSON text, for results that are sent many times. Copies of the
 * result have no text.
 */
export function withJsonText(result: JsonObject): JsonObject {
  const value = JSON.stringify(result);
  return Object.freeze(Object.defineProperty(result, TEXT, { value }));
}

/** Whether `withJsonText` stored the text of this result. */
export function hasJsonText(result: JsonObject): boolean {
  return TEXT in result;
}

/** Serializes a message. @throws TypeError when it cannot be serialized. */
export function toJsonText(message: JsonRpcMessage | JsonRpcBatch): string {
  if ('result' in message && TEXT in message.result) {
    return `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${message.result[TEXT] as string}}`;
  }
  const parts = splice(message, 0);
  if (parts === undefined) return JSON.stringify(message);
  // A piece may end inside a character.
  return parts
    .map((part) => (typeof part === 'string' ? part : Buffer.concat(part).toString()))
    .join('');
}

/**
 * Serializes a message around the serialized parts of its result. Returns `undefined` when they have
 * fewer bytes than `minBytes`, or when there are none.
 */
export function splice(
  message: JsonRpcMessage | JsonRpcBatch,
  minBytes: number,
): readonly (string | readonly Uint8Array[])[] | undefined {
  if (!('result' in message)) return undefined;
  const { content, structuredContent } = message.result;
  const [first, ...others] = Array.isArray(content) ? (content as readonly unknown[]) : [];
  const source = sourceOf(first);
  const structured = structuredContent instanceof SerializedJson ? structuredContent : undefined;
  if (source === undefined && structured === undefined) return undefined;
  const bytes = (serializedLength(first) ?? 0) + (serializedLength(structured) ?? 0);
  if (bytes < minBytes) return undefined;
  const text = placeholderOf('text');
  const json = placeholderOf('json');
  const result = {
    ...message.result,
    ...(source === undefined ? {} : { content: [{ type: 'text', text }, ...others] }),
    ...(structured === undefined ? {} : { structuredContent: json }),
  };
  const withText = insert(
    [JSON.stringify({ ...message, result })],
    text,
    source && [source.quoted],
  );
  return insert(withText, json, structured?.line);
}

/** Replaces a placeholder in the parts. */
function insert(
  parts: readonly (string | readonly Uint8Array[])[],
  mark: string,
  pieces: readonly Uint8Array[] = [],
): readonly (string | readonly Uint8Array[])[] {
  return parts.flatMap((part) => {
    if (typeof part !== 'string') return [part];
    const [before = '', ...after] = part.split(`"${mark}"`);
    return [before, ...after.flatMap((each) => [pieces, each])];
  });
}

/** Returns a random text, which occurs in no message. */
export function placeholderOf(subject: 'text' | 'json'): string {
  placeholder ??= crypto.randomUUID();
  return `${placeholder} ${subject}`;
}
