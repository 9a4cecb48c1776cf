import { type InitializeRequest, readInitialize } from '../../era/read-initialize.ts';
import type { JsonObject, JsonRpcErrorObject } from '../../jsonrpc/messages.ts';
import type { ServerCapabilities } from '../../protocol/capabilities.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { IncomingRequest } from '../requests/active-request.ts';
import type { ServerOptions } from '../server.ts';

/** An accepted `initialize` and its result. */
export interface OpenedSession {
  readonly initialize: InitializeRequest;
  readonly result: JsonObject;
}

export interface SessionHost {
  readonly options: ServerOptions;
  readonly capabilities: ServerCapabilities;
}

/**
 * Builds the response to `initialize`.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization
 */
export function respondToInitialize(
  { request, auth }: Pick<IncomingRequest, 'request' | 'auth'>,
  { options, capabilities }: SessionHost,
): OpenedSession | { readonly error: JsonRpcErrorObject } {
  try {
    const initialize = readInitialize(request);
    const { info, instructions } = options;
    const result = {
      protocolVersion: initialize.codec.version,
      capabilities: initialize.codec.encodeCapabilities(capabilities, auth !== undefined),
      serverInfo: info,
    };
    return {
      initialize,
      result: instructions === undefined ? result : { ...result, instructions },
    };
  } catch (error) {
    if (error instanceof ProtocolError) return { error: error.toJSON() };
    throw error;
  }
}
