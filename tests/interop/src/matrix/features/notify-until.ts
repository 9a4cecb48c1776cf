import { expect, vi } from 'vitest';

/** Repeats a notification until it is received: over HTTP its stream may not be open yet. */
export async function notifyUntil(
  isHeard: () => boolean,
  tell: () => Promise<unknown>,
): Promise<void> {
  await vi.waitFor(
    async () => {
      await tell();
      await vi.waitFor(() => expect(isHeard()).toBe(true), { timeout: 300, interval: 10 });
    },
    { timeout: 10_000 },
  );
}
