import type {
  JsonObject,
  JsonRpcError,
  JsonRpcNotification,
  JsonRpcRequest,
  JsonRpcResult,
  RequestId,
} from './messages.ts';

/** A parsed JSON value, classified as JSON-RPC. Unknown members are legal. */
export type Envelope =
  | { readonly kind: 'request'; readonly message: JsonRpcRequest }
  | { readonly kind: 'notification'; readonly message: JsonRpcNotification }
  | { readonly kind: 'result'; readonly message: JsonRpcResult }
  | { readonly kind: 'error'; readonly message: JsonRpcError }
  | { readonly kind: 'batch'; readonly entries: readonly unknown[] }
  /** A malformed response; `id` is the id of its request, if readable. */
  | {
      readonly kind: 'invalid-response';
      readonly id: RequestId | undefined;
      readonly detail: string;
    }
  | { readonly kind: 'invalid'; readonly id: RequestId | undefined; readonly detail: string };

/** Any message but a request. */
export type OtherEnvelope = Exclude<Envelope, { kind: 'request' }>;

/**
 * Classifies a parsed value; its casts follow the checks above them. An error response may carry
 * `id: null`, which is read as absent.
 */
export function readEnvelope(value: unknown): Envelope {
  if (Array.isArray(value)) return { kind: 'batch', entries: value };
  if (!isJsonObject(value))
    return { kind: 'invalid', id: undefined, detail: 'a message must be a JSON object' };
  const id = isRequestId(value.id) ? value.id : undefined;
  if (value.method === undefined && ('result' in value || 'error' in value))
    return readResponse(value, id);
  if (value.jsonrpc !== '2.0') return { kind: 'invalid', id, detail: 'jsonrpc must be "2.0"' };
  if (typeof value.method !== 'string')
    return { kind: 'invalid', id, detail: 'method must be a string' };
  if (value.params !== undefined && !isJsonObject(value.params))
    return { kind: 'invalid', id, detail: 'params must be an object' };
  if (!('id' in value))
    return { kind: 'notification', message: value as unknown as JsonRpcNotification };
  if (id === undefined) return { kind: 'invalid', id, detail: 'id must be a string or an integer' };
  return { kind: 'request', message: value as unknown as JsonRpcRequest };
}

/** Whether the value is a JSON object: not null, not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Whether the value is a valid id: a string or a safe integer. 0 and the empty string are valid.
 */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

function readResponse(value: JsonObject, id: RequestId | undefined): Envelope {
  if (value.jsonrpc !== '2.0')
    return { kind: 'invalid-response', id, detail: 'jsonrpc must be "2.0"' };
  if ('error' in value) {
    if ('result' in value)
      return {
        kind: 'invalid-response',
        id,
        detail: 'a response has a result or an error, not both',
      };
    if (!isErrorObject(value.error))
      return {
        kind: 'invalid-response',
        id,
        detail: 'error must have an integer code and a message',
      };
    const { id: _unreadable, ...rest } = value;
    return { kind: 'error', message: (id === undefined ? rest : value) as unknown as JsonRpcError };
  }
  if (id === undefined)
    return { kind: 'invalid-response', id, detail: 'a result must carry the id of its request' };
  if (!isJsonObject(value.result))
    return { kind: 'invalid-response', id, detail: 'result must be an object' };
  return { kind: 'result', message: value as unknown as JsonRpcResult };
}

function isErrorObject(value: unknown): boolean {
  return isJsonObject(value) && Number.isInteger(value.code) && typeof value.message === 'string';
}
