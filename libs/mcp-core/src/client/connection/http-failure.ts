import { HttpError } from '../../protocol/http-error.ts';
import { LocalError } from '../../protocol/errors.ts';

/** Returns the HTTP failure among an error and its causes. */
export function httpFailureOf(error: unknown): HttpError | undefined {
  for (let failure = error; failure instanceof Error; failure = failure.cause) {
    if (failure instanceof HttpError) return failure;
  }
  return undefined;
}

/** Statuses of missing credentials, and of requests that were slow, early or too many. */
const UNRELATED_STATUSES: ReadonlySet<number> = new Set([401, 403, 407, 408, 425, 429]);

/** Whether the status says that the server does not know or cannot read the request. */
export function isRequestRefused({ status, isSessionLost }: HttpError): boolean {
  return !isSessionLost && status >= 400 && status < 500 && !UNRELATED_STATUSES.has(status);
}

/** Whether the server accepted the request and sent no usable response to it. */
export function isUnanswered({ status }: HttpError): boolean {
  return status >= 200 && status < 300;
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
