import { isJsonObject } from './envelope.ts';
import type { JsonObject, JsonRpcBatch, JsonRpcMessage } from './messages.ts';

const TEXT = Symbol('JSON text');
/** Nobody who could put it into a message knows it. */
let place: string | undefined;

/** The result, frozen, with its JSON text at hand: for what is sent many times. A copy of it has no text. */
export function withJsonText(result: JsonObject): JsonObject {
  const value = JSON.stringify(result);
  return Object.freeze(Object.defineProperty(result, TEXT, { value }));
}

export function hasJsonText(result: JsonObject): boolean {
  return TEXT in result;
}

/** The message as JSON. @throws TypeError when it cannot be serialized. */
export function toJsonText(message: JsonRpcMessage | JsonRpcBatch): string {
  if ('result' in message && TEXT in message.result) {
    return `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${message.result[TEXT] as string}}`;
  }
  return JSON.stringify(message);
}

/** From this length on it pays to escape a text once that is in a message twice. */
const LONG_LENGTH = 32 * 1024;

/**
 * The parts of a message whose result has a long text twice, in its first block and in its structured content, as tools give it that read files: the text
 * is escaped once, and its part is there twice. `undefined` for any other message. @throws TypeError when it cannot be serialized.
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
  place ??= crypto.randomUUID();
  const result = {
    ...message.result,
    content: [{ ...first, text: place }, ...others],
    structuredContent: { ...structuredContent, [member]: place },
  };
  const between = JSON.stringify({ ...message, result }).split(`"${place}"`);
  const written = Buffer.from(JSON.stringify(text));
  return between.flatMap((part, index) => (index === 0 ? [part] : [written, part]));
}
