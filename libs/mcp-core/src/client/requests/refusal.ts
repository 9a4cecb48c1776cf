import type { Codec } from '../../era/codec.ts';
import { isSpecifiedRequest } from '../../era/specified-methods.ts';
import { LocalError } from '../../protocol/errors.ts';
import type { SendingOptions } from './active-request.ts';

/** Returns the error of a request that cannot be sent, or `undefined`. */
export function refusalOf(
  method: string,
  { signal, attempt }: SendingOptions,
  { codec, isClosed }: { readonly codec: Codec; readonly isClosed: boolean },
): LocalError | undefined {
  if (!codec.clientRequests.has(method) && isSpecifiedRequest(method)) {
    return new LocalError(
      'method-not-in-era',
      `${method} does not exist in protocol version ${codec.version}.`,
    );
  }
  if (signal?.aborted === true) {
    return new LocalError('request-cancelled', `${method} was cancelled before it was sent.`, {
      sent: attempt !== undefined,
      cause: signal.reason,
    });
  }
  return isClosed
    ? new LocalError('connection-closed', `${method} was not sent: this client is closed.`)
    : undefined;
}
