/** Resolves after `ms`; rejects with the signal's reason when it aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  // Loaded at its first use: most starts of the server never wait.
  const { setTimeout: delay } = process.getBuiltinModule('node:timers/promises');
  try {
    await delay(ms, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}
