import type { JsonObject, JsonRpcBatch, JsonRpcMessage } from './messages.ts';

const TEXT = Symbol('JSON text');

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
