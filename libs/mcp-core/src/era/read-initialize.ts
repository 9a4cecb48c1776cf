import { isJsonObject } from '../jsonrpc/envelope.ts';
import type { JsonRpcRequest } from '../jsonrpc/messages.ts';
import type { ClientCapabilities } from '../protocol/capabilities.ts';
import { ErrorCode, ProtocolError } from '../protocol/errors.ts';
import { type Implementation, isImplementation } from '../protocol/implementation.ts';
import type { Codec } from './codec.ts';
import { latestLegacyCodec, legacyCodec } from './codecs.ts';

/** The checked params of `initialize`. */
export interface InitializeRequest {
  /**
   * Revision of the response: the requested version if it is a supported legacy version, otherwise
   * the newest legacy version.
   */
  readonly codec: Codec;
  readonly clientInfo: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
}

/** @throws ProtocolError -32602 */
export function readInitialize(request: JsonRpcRequest): InitializeRequest {
  const { protocolVersion, clientInfo, capabilities = {} } = request.params ?? {};
  const isValid =
    typeof protocolVersion === 'string' &&
    isJsonObject(capabilities) &&
    (clientInfo === undefined || isImplementation(clientInfo));
  if (!isValid)
    throw new ProtocolError(
      ErrorCode.invalidParams,
      'Invalid params: initialize needs protocolVersion, capabilities and clientInfo',
    );
  return { codec: legacyCodec(protocolVersion) ?? latestLegacyCodec, clientInfo, capabilities };
}
