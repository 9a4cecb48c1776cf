import { HttpError } from '../../protocol/http-error.ts';
import { LocalError } from '../../protocol/errors.ts';

/** Returns the HTTP failure among an error and its causes. */
export function httpFailureOf(error: unknown): HttpError | undefined {
  for (let failure = error; failure instanceof Error; failure = failure.cause) {
    if (failure instanceof HttpError) return failure;
  }
  return undefined;
}

/** Whether the status says that the server does not know or cannot read the request. */
export function isRequestRefused({ status, isSessionLost }: HttpError): boolean {
  return !isSessionLost && (status === 400 || status === 404 || status === 405);
}

/** Whether a single request was lost while its connection is open, as happens when a server closes an idle HTTP connection. */
export function isSingleRequestLost(
  connection: { readonly hasStreamPerRequest: boolean; readonly hasEnded: boolean },
  error: unknown,
): boolean {
  return (
    connection.hasStreamPerRequest &&
    !connection.hasEnded &&
    error instanceof LocalError &&
    error.code === 'connection-lost' &&
    httpFailureOf(error) === undefined
  );
}
