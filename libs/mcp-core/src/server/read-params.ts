import type { JsonObject } from '../jsonrpc/messages.ts';
import { ErrorCode, ProtocolError } from '../protocol/errors.ts';

/** A required text. @throws ProtocolError -32602 */
export function readString(params: JsonObject, name: string): string {
  const value = params[name];
  if (typeof value !== 'string') throw new ProtocolError(ErrorCode.invalidParams, `Invalid params: ${name} must be a string`);
  return value;
}

/** The page to list; `undefined` is the first one. @throws ProtocolError -32602 */
export function readCursor(params: JsonObject): string | undefined {
  return params.cursor === undefined ? undefined : readString(params, 'cursor');
}
