import { isJsonObject } from '../jsonrpc/envelope.ts';
import type { JsonRpcRequest } from '../jsonrpc/messages.ts';
import type { ClientCapabilities } from '../protocol/capabilities.ts';
import { type Implementation, isImplementation } from '../protocol/implementation.ts';
import { ErrorCode, ProtocolError } from '../protocol/errors.ts';
import { MetaKey, metaOf } from './meta-keys.ts';
import { modernRevision } from './revisions.ts';
import { PROTOCOL_VERSIONS, type ProtocolVersion } from './versions.ts';

/** A self-contained modern request. */
export interface ModernRoute {
  readonly kind: 'modern';
  readonly version: ProtocolVersion;
  readonly clientInfo: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
}

/** The era and kind of a request. `Session` is the state kept from `initialize`. */
export type Route<Session> =
  | ModernRoute
  | { readonly kind: 'legacy'; readonly session: Session }
  | { readonly kind: 'initialize' }
  | { readonly kind: 'ping' }
  | { readonly kind: 'refused'; readonly error: ProtocolError };

/**
 * Determines the era of a request: modern `_meta` makes it self-contained; any other request
 * belongs to the legacy session, which is `undefined` before `initialize`.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#backward-compatibility-with-initialization-based-versions
 */
export function routeRequest<Session>(
  request: JsonRpcRequest,
  session: Session | undefined,
): Route<Session> {
  const meta = metaOf(request.params);
  if (MetaKey.protocolVersion in meta || MetaKey.clientCapabilities in meta)
    return routeModern(meta);
  if (session !== undefined) {
    if (request.method !== 'initialize') return { kind: 'legacy', session };
    return refuse(
      ErrorCode.invalidRequest,
      'Invalid request: this connection is already initialized',
    );
  }
  if (request.method === 'initialize' || request.method === 'ping') return { kind: request.method };
  return refuse(
    ErrorCode.invalidParams,
    `Invalid params: a request needs ${MetaKey.protocolVersion} and ${MetaKey.clientCapabilities} in its _meta, or an initialize request before it`,
  );
}

function routeModern(meta: { readonly [key: string]: unknown }): Route<never> {
  const requested = meta[MetaKey.protocolVersion];
  const capabilities = meta[MetaKey.clientCapabilities];
  const clientInfo = meta[MetaKey.clientInfo];
  if (typeof requested !== 'string')
    return refuse(
      ErrorCode.invalidParams,
      `Invalid params: _meta needs ${MetaKey.protocolVersion}, a string`,
    );
  if (!isJsonObject(capabilities))
    return refuse(
      ErrorCode.invalidParams,
      `Invalid params: _meta needs ${MetaKey.clientCapabilities}, an object`,
    );
  if (clientInfo !== undefined && !isImplementation(clientInfo)) {
    return refuse(
      ErrorCode.invalidParams,
      `Invalid params: ${MetaKey.clientInfo} in _meta needs a name and a version`,
    );
  }
  const version = modernRevision(requested)?.version;
  if (version !== undefined) return { kind: 'modern', version, clientInfo, capabilities };
  const data = { supported: PROTOCOL_VERSIONS, requested };
  return {
    kind: 'refused',
    error: new ProtocolError(ErrorCode.unsupportedProtocolVersion, 'Unsupported protocol version', {
      data,
    }),
  };
}

function refuse(code: number, message: string): Route<never> {
  return { kind: 'refused', error: new ProtocolError(code, message) };
}
