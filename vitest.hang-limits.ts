import { expect, vi } from 'vitest';

/** Milliseconds after which a wait for a condition ends a test that hangs: shorter than a test may take, longer than a loaded machine needs. */
const HANG_LIMIT_MS = 90_000;

const atLeastLimit = <T extends { readonly timeout?: number }>(options: T): T => ({
  ...options,
  timeout: Math.max(options.timeout ?? 0, HANG_LIMIT_MS),
});

const marked = globalThis as { hasHangLimits?: boolean };
// Runs again for each file, in the same process.
if (marked.hasHangLimits !== true) {
  marked.hasHangLimits = true;
  const { waitFor, waitUntil } = vi;
  vi.waitFor = (callback, options = {}) =>
    waitFor(callback, atLeastLimit(typeof options === 'number' ? { timeout: options } : options));
  vi.waitUntil = (callback, options = {}) =>
    waitUntil(callback, atLeastLimit(typeof options === 'number' ? { timeout: options } : options));
  const { poll } = expect;
  expect.poll = (actual, options = {}) => poll(actual, atLeastLimit(options));
}
