import { HttpError } from '../http/http-error.ts';

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
