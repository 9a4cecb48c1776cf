import { isJsonObject } from '../../jsonrpc/envelope.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { ErrorCode, ProtocolError, shorten } from '../../protocol/errors.ts';

/** A required text; `place` names it in the message. @throws ProtocolError -32602 */
export function readString(params: JsonObject, name: string, place = name): string {
  const value = params[name];
  if (typeof value !== 'string')
    throw new ProtocolError(ErrorCode.invalidParams, `Invalid params: ${place} must be a string`);
  return value;
}

/** Texts by name, none when absent. @throws ProtocolError -32602 */
export function readStrings(value: unknown, place: string): { readonly [name: string]: string } {
  if (value === undefined) return {};
  if (!isJsonObject(value))
    throw new ProtocolError(ErrorCode.invalidParams, `Invalid params: ${place} must be an object`);
  for (const name in value) {
    if (typeof value[name] !== 'string')
      throw new ProtocolError(
        ErrorCode.invalidParams,
        `Invalid params: ${place}.${shorten(name)} must be a string`,
      );
  }
  return value as { readonly [name: string]: string };
}

/** The page to list; `undefined` is the first one. @throws ProtocolError -32602 */
export function readCursor(params: JsonObject): string | undefined {
  return params.cursor === undefined ? undefined : readString(params, 'cursor');
}
