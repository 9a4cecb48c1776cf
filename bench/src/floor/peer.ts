import type { Era, JsonObject } from '@signalbox/mcp-core';

/** The floor's end of a connection to a server. */
export interface FloorPeer {
  /** Called with each notification. */
  onNotification: () => void;
  /** Performs the handshake of the era. */
  open(): Promise<void>;
  /** Rejects when the server answers with an error or ends. */
  request(method: string, params: JsonObject, meta?: JsonObject): Promise<JsonObject>;
}

export interface Answer {
  readonly id?: number;
  readonly result?: JsonObject;
  readonly error?: { readonly message: string };
}

export const LEGACY_VERSION = '2025-11-25';
export const MODERN_VERSION = '2026-07-28';

const CLIENT_INFO = { name: 'floor', version: '1.0.0' };
export const INITIALIZE = {
  protocolVersion: LEGACY_VERSION,
  capabilities: {},
  clientInfo: CLIENT_INFO,
};

const MODERN_META = {
  'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
  'io.modelcontextprotocol/clientInfo': CLIENT_INFO,
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Returns the params with the `_meta` that the era requires. */
export function withMeta(params: JsonObject, era: Era, meta?: JsonObject): JsonObject {
  const fullMeta = era === 'modern' ? { ...MODERN_META, ...meta } : meta;
  return fullMeta === undefined ? params : { ...params, _meta: fullMeta };
}

/** @throws Error for a message that is not a response */
export function resultOf({ result, error }: Answer): JsonObject {
  if (result === undefined) throw new Error(error?.message ?? 'an answer without result or error');
  return result;
}
