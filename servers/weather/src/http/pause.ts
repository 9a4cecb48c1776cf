import { setTimeout as delay } from 'node:timers/promises';

/** Resolves after `ms`; rejects with the signal's reason when it aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}
