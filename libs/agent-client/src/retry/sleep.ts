/** Resolves after a time. Rejects with the reason of the signal when it is aborted. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
  const timer = setTimeout(resolve, ms);
  const abort = (): void => reject(signal?.reason as Error);
  signal?.addEventListener('abort', abort);
  return promise.finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  });
}
