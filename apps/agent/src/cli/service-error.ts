/** Error when a running service does not answer or rejects a request; the message says what to do. */
export class ServiceError extends Error {
  /** Code of the problem; undefined when no service answered. */
  readonly code: string | undefined;

  constructor(message: string, options: { readonly code?: string; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'ServiceError';
    this.code = options.code;
  }
}

/** Returns the error for a response that this version does not know. */
export function unknownFormat(): ServiceError {
  return new ServiceError(
    'the response of the service has an unknown format: use the same version of signalbox for the command and the service',
  );
}
