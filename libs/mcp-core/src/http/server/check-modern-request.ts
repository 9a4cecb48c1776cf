import { MetaKey, metaOf } from '../../era/meta-keys.ts';
import { modernRevision } from '../../era/revisions.ts';
import { routeRequest } from '../../era/route-request.ts';
import type { JsonRpcErrorObject, JsonRpcRequest } from '../../jsonrpc/messages.ts';
import { ErrorCode, shorten } from '../../protocol/errors.ts';
import { headerOf, type HttpHeaders } from '../headers/http-headers.ts';
import type { MirroredHeaders } from './mirrored-headers.ts';

/**
 * Whether a message is self-contained, according to its `_meta` or version header. `Mcp-Method` and
 * `Mcp-Name` do not count: bridges mirror them on legacy messages too.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
 */
export function isModernRequest(params: JsonRpcRequest['params'], headers: HttpHeaders): boolean {
  const meta = metaOf(params);
  if (MetaKey.protocolVersion in meta || MetaKey.clientCapabilities in meta) return true;
  const version = headerOf(headers, 'mcp-protocol-version');
  return modernRevision(version) !== undefined;
}

/**
 * Returns the error for a modern request that must be refused with status 400. Checks in the order
 * of the specification: required members of `_meta`, version header, version, other headers.
 */
export function checkModernRequest(
  request: JsonRpcRequest,
  headers: HttpHeaders,
  mirrored: MirroredHeaders,
): JsonRpcErrorObject | undefined {
  const route = routeRequest(request, undefined);
  if (route.kind === 'refused' && route.error.code !== ErrorCode.unsupportedProtocolVersion)
    return route.error.toJSON();
  if (route.kind === 'initialize' || route.kind === 'ping') return missingMeta();
  const version = headerOf(headers, 'mcp-protocol-version');
  const metaVersion = metaOf(request.params)[MetaKey.protocolVersion];
  if (version !== metaVersion)
    return mismatch(
      `Header mismatch: MCP-Protocol-Version is ${quote(version)}, but _meta has ${quote(metaVersion)}`,
    );
  if (route.kind === 'refused') return route.error.toJSON();
  const problem = mirrored.mismatch(request, headers);
  return problem === undefined ? undefined : mismatch(problem);
}

function missingMeta(): JsonRpcErrorObject {
  const message = `Invalid params: _meta needs ${MetaKey.protocolVersion} and ${MetaKey.clientCapabilities}`;
  return { code: ErrorCode.invalidParams, message };
}

function mismatch(message: string): JsonRpcErrorObject {
  return { code: ErrorCode.headerMismatch, message };
}

function quote(value: unknown): string {
  return typeof value === 'string' ? `'${shorten(value)}'` : 'missing';
}
