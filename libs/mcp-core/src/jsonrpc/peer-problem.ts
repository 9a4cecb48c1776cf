/** A fault of the peer that does not end the connection. */
class PeerProblem extends Error {
  constructor(message: string, cause: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'PeerProblem';
    if (cause === undefined) this.stack = message;
  }
}

/**
 * Returns a problem without a stack, unless it has a cause: the stack would show only the message
 * reader, and recording it takes longer than all other work on a useless message.
 */
export function peerProblem(message: string, cause: unknown): PeerProblem {
  const { stackTraceLimit } = Error;
  if (cause === undefined) Error.stackTraceLimit = 0;
  try {
    return new PeerProblem(message, cause);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Returns a thrown value as an Error. */
export function toError(value: unknown): Error {
  return value instanceof Error ? value : new Error(String(value));
}
