import { HttpError } from '../../protocol/http-error.ts';
import { LocalError } from '../../protocol/errors.ts';
import type { Connection } from './client-connection.ts';

/** The HTTP failure that an error is, or was caused by. */
export function httpFailureOf(error: unknown): HttpError | undefined {
  for (let failure = error; failure instanceof Error; failure = failure.cause) {
    if (failure instanceof HttpError) return failure;
  }
  return undefined;
}

/** With these a server refuses a request that it does not know or cannot read; any other status says nothing of it. */
export function isRequestRefused({ status, isSessionLost }: HttpError): boolean {
  return !isSessionLost && (status === 400 || status === 404 || status === 405);
}

/** Whether a request was lost on its way while its connection goes on, as happens to one of HTTP when a kept connection was closed by the server. */
export function isLostAlone(connection: Connection, error: unknown): boolean {
  return (
    connection.isHttp &&
    !connection.hasEnded &&
    error instanceof LocalError &&
    error.code === 'connection-lost' &&
    httpFailureOf(error) === undefined
  );
}
