import { ErrorCode, ProtocolError } from '../../protocol/errors.ts';

/** Refuses an input request that needs a capability the client did not declare. */
export function undeclared(capability: string): ProtocolError {
  return new ProtocolError(
    ErrorCode.invalidParams,
    `Invalid params: this client did not declare ${capability}`,
  );
}
