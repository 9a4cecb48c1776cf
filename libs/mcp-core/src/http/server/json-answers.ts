import { toJsonText } from '../../jsonrpc/json-text.ts';
import type { JsonRpcErrorObject, RequestId } from '../../jsonrpc/messages.ts';
import type { Reply } from '../../jsonrpc/peer.ts';
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
export function replyText(id: RequestId, reply: Reply, onError: (error: unknown) => void): string {
  try {
    return toJsonText({ jsonrpc: '2.0', id, ...reply });
  } catch (error) {
    onError(error);
    return errorText(id, { code: ErrorCode.internalError, message: 'Internal error' });
  }
}

/** Responds with a JSON-RPC error. */
export function answerError(
  exchange: HttpExchange,
  status: number,
  { id, ...error }: JsonRpcErrorObject & { readonly id?: RequestId | undefined },
): void {
  exchange.answer(status, JSON_FIELDS, errorText(id, error));
}

/** Responds with plain text about an HTTP request that is not JSON-RPC. */
export function answerPlain(
  exchange: HttpExchange,
  status: number,
  { text, fields = [] }: { readonly text: string; readonly fields?: readonly string[] },
): void {
  exchange.answer(status, [...TEXT_FIELDS, ...fields], `${text}\n`);
}

/** Responds that the message was accepted. */
export function answerAccepted(exchange: HttpExchange): void {
  exchange.answer(202, [], '');
}
