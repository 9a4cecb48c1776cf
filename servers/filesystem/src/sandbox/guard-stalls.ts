import { PathError } from './path-error.ts';
import type { Opener, PinnedPath } from './pinned-path.ts';

export interface StallOptions {
  /** How long a lookup may take; default 10 s. */
  readonly timeoutMs?: number;
  /** Lookups that may hang below one directory before more are refused at once; default 2. */
  readonly maxStalled?: number;
}

/**
 * An opener for file systems that may not answer (a network share without its server, a cloud folder without its program). A lookup that takes
 * too long fails, but goes on occupying one of the few threads of the process; so that calls elsewhere still find a free one, no more than
 * `maxStalled` may hang in one directory. When one of them ends the directory is tried again.
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

/** The result, or `undefined` when it takes longer. */
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
    // Whoever asked has had an answer.
  }
}

function noAnswer(directory: string, detail: string): PathError {
  return new PathError(
    'io',
    `${directory} does not answer; it may be on a network or cloud drive that is not connected. ${detail} Try again later.`,
  );
}
