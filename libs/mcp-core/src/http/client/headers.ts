import { encodeHeaderValue } from '../headers/header-value.ts';
import { mcpNameOf } from '../headers/mcp-name.ts';
import type { JsonRpcNotification, JsonRpcRequest } from '../../jsonrpc/messages.ts';

/** Header fields set by the host, for example `Authorization`. */
export interface ExtraHeaders {
  readonly [name: string]: string;
}

/** Called before every HTTP request, including streams and retries, and before a private result is reused. */
export type HeaderProvider = (request: {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly url: string;
}) => ExtraHeaders | Promise<ExtraHeaders>;

/** Lower-case names of the headers that the transport sets itself. */
export const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The legacy session of a message, if it has one. */
export interface SessionHeaders {
  readonly id: string | undefined;
  readonly protocolVersion: string | undefined;
}

/** Header fields of every POST. */
export const POST_HEADERS: readonly string[] = [
  'Content-Type',
  'application/json',
  'Accept',
  'application/json, text/event-stream',
];

/** @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#request-metadata */
export function modernHeaders(
  message: JsonRpcRequest | JsonRpcNotification,
  protocolVersion: string,
): string[] {
  const headers = [
    ...POST_HEADERS,
    'MCP-Protocol-Version',
    protocolVersion,
    'Mcp-Method',
    encodeHeaderValue(message.method),
  ];
  const name = mcpNameOf(message.method, message.params);
  if (name !== undefined) headers.push('Mcp-Name', encodeHeaderValue(name));
  return headers;
}

/** @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management */
export function sessionHeaders({ id, protocolVersion }: SessionHeaders): string[] {
  return [
    ...(protocolVersion === undefined ? [] : ['MCP-Protocol-Version', protocolVersion]),
    ...(id === undefined ? [] : ['Mcp-Session-Id', id]),
  ];
}

/** Returns headers, of which those in `replacement` replace equal ones. */
export function withReplaced(headers: ExtraHeaders, replacement: ExtraHeaders): ExtraHeaders {
  if (Object.keys(headers).length === 0) return replacement;
  const names = new Set(Object.keys(replacement).map((name) => name.toLowerCase()));
  const kept = Object.entries(headers).filter(([name]) => !names.has(name.toLowerCase()));
  return { ...Object.fromEntries(kept), ...replacement };
}

/** Whether headers are still to come. */
export function isPromise<T extends object>(
  value: T | Promise<T> | undefined,
): value is Promise<T> {
  return value !== undefined && 'then' in value && typeof value.then === 'function';
}
