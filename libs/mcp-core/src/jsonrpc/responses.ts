import type { JsonObject, JsonRpcErrorObject, JsonRpcResponse, RequestId } from './messages.ts';

/** The result or error of a response, without its `jsonrpc` and `id` members. */
export type ResultOrError =
  | { readonly result: JsonObject }
  | { readonly error: JsonRpcErrorObject };

export const INTERNAL_ERROR: JsonRpcErrorObject = { code: -32603, message: 'Internal error' };

/** Adds the id to a result or error. */
export function responseTo(id: RequestId, response: ResultOrError): JsonRpcResponse {
  return 'result' in response
    ? { jsonrpc: '2.0', id, result: response.result }
    : errorResponse(id, response.error);
}

/** Returns an error response; without id when the id of the request is unreadable. */
export function errorResponse(
  id: RequestId | undefined,
  error: JsonRpcErrorObject,
): JsonRpcResponse {
  return id === undefined ? { jsonrpc: '2.0', error } : { jsonrpc: '2.0', id, error };
}

/** Returns the error response to an invalid request. */
export function refusal(id: RequestId, detail: string): JsonRpcResponse {
  return errorResponse(id, { code: -32600, message: `Invalid request: ${detail}` });
}

/** Returns the internal errors that replace responses that cannot be serialized. */
export function insteadOf(
  message: JsonRpcResponse | readonly JsonRpcResponse[],
): JsonRpcResponse | readonly JsonRpcResponse[] {
  return isResponse(message)
    ? errorResponse(message.id, INTERNAL_ERROR)
    : message.map(({ id }) => errorResponse(id, INTERNAL_ERROR));
}

function isResponse(
  message: JsonRpcResponse | readonly JsonRpcResponse[],
): message is JsonRpcResponse {
  return !Array.isArray(message);
}
