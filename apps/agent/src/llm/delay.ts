import type { Clock } from '../ports/clock.ts';

/** Resolves after `ms`, or rejects with the signal's reason. */
export async function delay(
  ms: number,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const abort = (): void => reject(signal.reason as Error);
  const cancel = clock.after(ms, resolve);
  signal.addEventListener('abort', abort, { once: true });
  try {
    await promise;
  } finally {
    cancel();
    signal.removeEventListener('abort', abort);
  }
}
