/** A JSON-RPC id: a string or an integer, never null. `1` and `"1"` are different ids. */
export type RequestId = string | number;

/** A JSON object. Its values are unknown until they are checked. */
export type JsonObject = { [key: string]: unknown };

/** A message that expects a response with the same `id`. */
export interface JsonRpcRequest {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly method: string;
  readonly params?: JsonObject;
}

/** A message without an `id`, which has no response. */
export interface JsonRpcNotification {
  readonly jsonrpc: '2.0';
  readonly method: string;
  readonly params?: JsonObject;
}

/** The response to a request that succeeded. */
export interface JsonRpcResult {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly result: JsonObject;
}

/** The `error` of a JSON-RPC response. */
export interface JsonRpcErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** An error response. `id` is absent only when the id of the failed request could not be read. */
export interface JsonRpcError {
  readonly jsonrpc: '2.0';
  readonly id?: RequestId;
  readonly error: JsonRpcErrorObject;
}

/** The response to a request: a result or an error. */
export type JsonRpcResponse = JsonRpcResult | JsonRpcError;
/** A JSON-RPC 2.0 message: a request, a notification or a response. */
export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcResponse;

/** Several messages in one array. Only revision 2025-03-26 has batches. */
export type JsonRpcBatch = readonly JsonRpcMessage[];
