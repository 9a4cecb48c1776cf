import { isJsonObject } from '../../jsonrpc/envelope.ts';
import { ErrorCode, ProtocolError, ResourceNotFoundError } from '../../protocol/errors.ts';

/**
 * Returns the error of `resources/read` as the host receives it. Servers of every revision use either code for a missing resource; -32602 counts only when
 * its data names the URI.
 */
export function toReadError(error: unknown, uri: string): unknown {
  if (!(error instanceof ProtocolError)) return error;
  const namesResource = isJsonObject(error.data) && error.data.uri === uri;
  const isNotFound =
    error.code === ErrorCode.resourceNotFound ||
    (error.code === ErrorCode.invalidParams && namesResource);
  return isNotFound ? new ResourceNotFoundError(uri) : error;
}
