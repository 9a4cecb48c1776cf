import { isJsonObject } from '../jsonrpc/envelope.ts';
import type { JsonObject } from '../jsonrpc/messages.ts';

/** The `_meta` keys of the protocol. @see https://modelcontextprotocol.io/specification/2026-07-28/basic#_meta */
export const MetaKey = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
  /** Used in 2025-11-25. */
  relatedTask: 'io.modelcontextprotocol/related-task',
} as const;

/** Returns the `_meta` of params or of a result, or an empty object. */
export function metaOf(holder: JsonObject | undefined): JsonObject {
  const { _meta: meta } = holder ?? {};
  return isJsonObject(meta) ? meta : {};
}
