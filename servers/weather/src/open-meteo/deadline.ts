export interface Deadline {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Makes the error that an expiry rejects with. */
  readonly expired: () => Error;
}

/** Runs with a signal that aborts with `deadline.signal` and when the time is up; an aborted run rejects with the signal's reason. */
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
