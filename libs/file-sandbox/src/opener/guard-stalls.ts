import { PathError } from '../path/path-error.ts';
import type { Opener, PinnedPath } from './pinned-path.ts';

export interface StallOptions {
  /** Time limit of a lookup in milliseconds; default 10000. */
  readonly timeoutMs?: number;
  /** Number of hanging lookups in one directory after which further ones are refused; default 2. */
  readonly maxStalled?: number;
}

/**
 * Guards an opener against file systems that do not answer, such as a network share without its
 * server or a cloud folder without its program. A lookup that takes too long fails, but still
 * occupies one of the few threads of the process. Therefore at most `maxStalled` lookups may hang
 * in one directory; when one of them ends, the directory can be used again.
 */
export function guardStalls(opener: Opener, options: StallOptions = {}): Opener {
  const { timeoutMs = 10_000, maxStalled = 2 } = options;
  const stalled = new Map<string, number>();
  const count = (key: string, change: number) => {
    const left = (stalled.get(key) ?? 0) + change;
    if (left === 0) stalled.delete(key);
    else stalled.set(key, left);
  };
  return {
    kind: opener.kind,
    ...(opener.pinNow === undefined ? {} : { pinNow: opener.pinNow }),
    async pin(path, pinOptions = {}) {
      const key = pinOptions.within ?? path;
      if ((stalled.get(key) ?? 0) >= maxStalled)
        throw noAnswer(key, 'Earlier lookups there still hang.');
      const pinning = opener.pin(path, pinOptions);
      const pinned = await within(timeoutMs, pinning);
      if (pinned !== undefined) return pinned;
      count(key, 1);
      void closeWhenFound(pinning).finally(() => {
        count(key, -1);
      });
      throw noAnswer(key, `It took more than ${timeoutMs / 1000} s.`);
    },
  };
}

/** Returns the result, or `undefined` after the time limit. */
async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => {
    resolve(undefined);
  }, timeoutMs);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function closeWhenFound(pinning: Promise<PinnedPath>): Promise<void> {
  try {
    const pinned = await pinning;
    await pinned.close();
  } catch {
    // The caller already got an error.
  }
}

function noAnswer(directory: string, detail: string): PathError {
  return new PathError(
    'io',
    `${directory} does not answer; it may be on a network or cloud drive that is not connected. ${detail} Try again later.`,
  );
}
