export interface Deadline {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Creates the error of an expired deadline. */
  readonly expired: () => Error;
}

/**
 * Calls `run` with a signal that aborts with `deadline.signal` and at the deadline; an aborted run
 * rejects with the signal's reason.
 */
export async function withDeadline<Value>(
  deadline: Deadline,
  run: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const { signal, timeoutMs, expired } = deadline;
  signal.throwIfAborted();
  const controller = new AbortController();
  const onAbort = () => controller.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => controller.abort(expired()), timeoutMs);
  try {
    return await run(controller.signal);
  } catch (error) {
    controller.signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
