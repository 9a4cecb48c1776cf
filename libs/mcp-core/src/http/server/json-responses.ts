import { toJsonText } from '../../jsonrpc/json-text.ts';
import type { JsonRpcErrorObject, RequestId } from '../../jsonrpc/messages.ts';
import type { ResultOrError } from '../../jsonrpc/responses.ts';
import { ErrorCode } from '../../protocol/errors.ts';
import type { HttpExchange } from './http-exchange.ts';

export const JSON_FIELDS = ['content-type', 'application/json'] as const;
const TEXT_FIELDS = ['content-type', 'text/plain; charset=utf-8'] as const;

/** Serializes a JSON-RPC error; without id when the id could not be read. */
export function errorText(id: RequestId | undefined, error: JsonRpcErrorObject): string {
  return JSON.stringify({ jsonrpc: '2.0', ...(id === undefined ? {} : { id }), error });
}

/**
 * Serializes a response; reports a result that cannot be serialized and replaces it by an internal
 * error.
 */
export function responseText(
  id: RequestId,
  response: ResultOrError,
  onError: (error: unknown) => void,
): string {
  try {
    return toJsonText({ jsonrpc: '2.0', id, ...response });
  } catch (error) {
    onError(error);
    return errorText(id, { code: ErrorCode.internalError, message: 'Internal error' });
  }
}

/** Responds with a JSON-RPC error. */
export function sendError(
  exchange: HttpExchange,
  status: number,
  { id, ...error }: JsonRpcErrorObject & { readonly id?: RequestId | undefined },
): void {
  exchange.respond(status, JSON_FIELDS, errorText(id, error));
}

/** Responds with plain text about an HTTP request that is not JSON-RPC. */
export function sendText(
  exchange: HttpExchange,
  status: number,
  { text, fields = [] }: { readonly text: string; readonly fields?: readonly string[] },
): void {
  exchange.respond(status, [...TEXT_FIELDS, ...fields], `${text}\n`);
}

/** Responds that the message was accepted. */
export function sendAccepted(exchange: HttpExchange): void {
  exchange.respond(202, [], '');
}
