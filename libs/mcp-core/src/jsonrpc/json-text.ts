import { isJsonObject } from './envelope.ts';
import { toJsonBytes } from './json-string.ts';
import type { JsonObject, JsonRpcBatch, JsonRpcMessage } from './messages.ts';

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

export function hasJsonText(result: JsonObject): boolean {
  return TEXT in result;
}

/** Serializes a message. @throws TypeError when it cannot be serialized. */
export function toJsonText(message: JsonRpcMessage | JsonRpcBatch): string {
  if ('result' in message && TEXT in message.result) {
    return `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${message.result[TEXT] as string}}`;
  }
  return JSON.stringify(message);
}

/** Length from which escaping a duplicated text only once is faster. */
const LONG_LENGTH = 32 * 1024;

/**
 * Serializes a message whose result holds the same long text in its first content block and in
 * `structuredContent`, as results of file readers do. The text is escaped once and its bytes appear
 * twice in the parts. Returns `undefined` for any other message.
 * @throws TypeError when it cannot be serialized.
 */
export function toJsonParts(
  message: JsonRpcMessage | JsonRpcBatch,
): readonly (string | Buffer)[] | undefined {
  if (!('result' in message) || TEXT in message.result) return undefined;
  const { content, structuredContent } = message.result;
  if (!Array.isArray(content) || !isJsonObject(structuredContent)) return undefined;
  const [first, ...others] = content as readonly JsonObject[];
  const text = first?.text;
  if (typeof text !== 'string' || text.length < LONG_LENGTH) return undefined;
  const member = Object.keys(structuredContent).find((name) => structuredContent[name] === text);
  if (member === undefined) return undefined;
  placeholder ??= crypto.randomUUID();
  const result = {
    ...message.result,
    content: [{ ...first, text: placeholder }, ...others],
    structuredContent: { ...structuredContent, [member]: placeholder },
  };
  const between = JSON.stringify({ ...message, result }).split(`"${placeholder}"`);
  const written = toJsonBytes(text);
  return between.flatMap((part, index) => (index === 0 ? [part] : [written, part]));
}
