import { LocalError } from '../../protocol/errors.ts';

/** Returns the reason with which the signal of a request aborts when the client cancels it. */
export function cancelledByClient(reason: unknown): LocalError {
  return new LocalError(
    'request-cancelled',
    typeof reason === 'string' ? `Cancelled by the client: ${reason}` : 'Cancelled by the client',
    { sent: true },
  );
}

/** Returns the reason with which the signals of a connection abort at its end. */
export function connectionClosed(error: Error | undefined): LocalError {
  return new LocalError(
    'connection-closed',
    'The connection is closed',
    error === undefined ? {} : { cause: error },
  );
}
