/** A JSON-RPC id: a string or an integer, never null. `1` and `"1"` are different ids. */
export type RequestId = string | number;

export type JsonObject = { [key: string]: unknown };

export interface JsonRpcRequest {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly method: string;
  readonly params?: JsonObject;
}

export interface JsonRpcNotification {
  readonly jsonrpc: '2.0';
  readonly method: string;
  readonly params?: JsonObject;
}

export interface JsonRpcResult {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly result: JsonObject;
}

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

export type JsonRpcResponse = JsonRpcResult | JsonRpcError;
export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcResponse;

/** Several messages in one array. Only revision 2025-03-26 has batches. */
export type JsonRpcBatch = readonly JsonRpcMessage[];
