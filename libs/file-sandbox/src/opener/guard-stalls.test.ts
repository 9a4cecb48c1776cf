import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { guardStalls } from './guard-stalls.ts';
import type { Opener, PinnedPath } from './pinned-path.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** Returns an opener that answers below `/cloud` only after `answer` is called. */
function createStallingOpener(): {
  opener: Opener;
  answer: () => void;
  asked: string[];
  closed: () => number;
} {
  const waiting: (() => void)[] = [];
  const asked: string[] = [];
  let closed = 0;
  // The tests use these members only.
  const pinned = (path: string) =>
    ({ realPath: path, close: () => Promise.resolve(void closed++) }) as unknown as PinnedPath;
  const pin = async (path: string) => {
    asked.push(path);
    if (path.startsWith('/cloud')) await new Promise<void>((resolve) => void waiting.push(resolve));
    return pinned(path);
  };
  return {
    opener: { kind: 'recheck', pin },
    answer: () => waiting.splice(0).forEach((resolve) => resolve()),
    asked,
    closed: () => closed,
  };
}

test('a hanging lookup fails after its time limit, and after two of them further ones are refused at once', async () => {
  const stalling = createStallingOpener();
  const guarded = guardStalls(stalling.opener, { timeoutMs: 1000, maxStalled: 2 });
  const hanging = ['/cloud/a', '/cloud/b'].map((path) =>
    guarded.pin(path, { within: '/cloud' }).catch(String),
  );
  await vi.advanceTimersByTimeAsync(1001);
  expect(await Promise.all(hanging)).toEqual([
    expect.stringContaining('/cloud does not answer') as string,
    expect.stringContaining('more than 1 s') as string,
  ]);
  await expect(guarded.pin('/cloud/c', { within: '/cloud' })).rejects.toThrow(
    'Earlier lookups there still hang',
  );
  expect(stalling.asked).toEqual(['/cloud/a', '/cloud/b']);
  expect((await guarded.pin('/home/d', { within: '/home' })).realPath).toBe('/home/d');
  stalling.answer();
  await vi.waitFor(() => expect(stalling.closed()).toBe(2));
  await vi.advanceTimersByTimeAsync(0);
  const again = guarded.pin('/cloud/c', { within: '/cloud' });
  stalling.answer();
  expect((await again).realPath).toBe('/cloud/c');
});

test('leaves no timer behind and passes failures on', async () => {
  const failure = new Error('ENOENT');
  const guarded = guardStalls({ kind: 'recheck', pin: () => Promise.reject(failure) });
  await expect(guarded.pin('/a')).rejects.toBe(failure);
  expect(vi.getTimerCount()).toBe(0);
});
