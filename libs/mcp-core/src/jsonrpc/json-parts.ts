import { isJsonObject } from './envelope.ts';
import { toJsonBytes } from './json-string.ts';
import { hasJsonText, placeholderOf, splice } from './json-text.ts';
import type { JsonObject, JsonRpcBatch, JsonRpcMessage } from './messages.ts';
import { LONG_LENGTH, SerializedJson, sourceOf } from './serialized-json.ts';

/**
 * Serializes a message with a long result that is serialized already, or that holds the same long text
 * in its first content block and in `structuredContent`, as results of file readers do: the text is
 * escaped once and its bytes appear twice in the parts. Returns `undefined` for any other message.
 * @throws TypeError when it cannot be serialized.
 */
export function toJsonParts(
  message: JsonRpcMessage | JsonRpcBatch,
): readonly (string | Uint8Array)[] | undefined {
  if (!('result' in message) || hasJsonText(message.result)) return undefined;
  const { content, structuredContent } = message.result;
  if (structuredContent instanceof SerializedJson) return splice(message, LONG_LENGTH)?.flat();
  if (!Array.isArray(content) || !isJsonObject(structuredContent)) return undefined;
  const [first, ...others] = content as readonly JsonObject[];
  const text = first?.text;
  if (typeof text !== 'string' || text.length < LONG_LENGTH) return undefined;
  const member = Object.keys(structuredContent).find((name) => structuredContent[name] === text);
  if (member === undefined) return undefined;
  const mark = placeholderOf('text');
  const result = {
    ...message.result,
    content: [{ ...first, text: mark }, ...others],
    structuredContent: { ...structuredContent, [member]: mark },
  };
  const between = JSON.stringify({ ...message, result }).split(`"${mark}"`);
  const written = toJsonBytes(text);
  return between.flatMap((part, index) => (index === 0 ? [part] : [written, part]));
}

/** Returns the serialized content whose text is the first text block, if it is. */
export function quotedSource(message: JsonRpcMessage | JsonRpcBatch): SerializedJson | undefined {
  if (!('result' in message) || !Array.isArray(message.result.content)) return undefined;
  return sourceOf(message.result.content[0]);
}
