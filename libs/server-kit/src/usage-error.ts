/**
 * An unusable command line or environment variable. The message is one line that says what is wrong
 * and what is allowed.
 */
export class UsageError extends Error {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'UsageError';
  }
}
