import { isJsonObject } from '../../jsonrpc/envelope.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { ErrorCode, ProtocolError, shorten } from '../../protocol/errors.ts';

/** Reads a required string; `label` names it in the error message. @throws ProtocolError -32602 */
export function readString(params: JsonObject, name: string, label = name): string {
  const value = params[name];
  if (typeof value !== 'string')
    throw new ProtocolError(ErrorCode.invalidParams, `Invalid params: ${label} must be a string`);
  return value;
}

/** Reads an object of strings; an absent value is empty. @throws ProtocolError -32602 */
export function readStrings(value: unknown, label: string): { readonly [name: string]: string } {
  if (value === undefined) return {};
  if (!isJsonObject(value))
    throw new ProtocolError(ErrorCode.invalidParams, `Invalid params: ${label} must be an object`);
  for (const name in value) {
    if (typeof value[name] !== 'string')
      throw new ProtocolError(
        ErrorCode.invalidParams,
        `Invalid params: ${label}.${shorten(name)} must be a string`,
      );
  }
  return value as { readonly [name: string]: string };
}

/** Reads the cursor of a list request; `undefined` for the first page. @throws ProtocolError -32602 */
export function readCursor(params: JsonObject): string | undefined {
  return params.cursor === undefined ? undefined : readString(params, 'cursor');
}
