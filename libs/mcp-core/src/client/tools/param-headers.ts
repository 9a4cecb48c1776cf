import { encodeHeaderValue } from '../../http/headers/header-value.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { type MirroredParam, valueAt } from '../../schema/mirrored-params.ts';

/** Returns the `Mcp-Param-*` headers of the arguments; an argument that is absent or null has none. */
export function paramHeaders(
  params: readonly MirroredParam[],
  args: JsonObject,
): { readonly [name: string]: string } {
  const headers: { [name: string]: string } = {};
  for (const { name, path } of params) {
    const value = valueAt(args, path);
    if (typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value)) {
      // isSafeInteger holds for numbers only.
      headers[`Mcp-Param-${name}`] = encodeHeaderValue(value as string | number | boolean);
    }
  }
  return headers;
}
