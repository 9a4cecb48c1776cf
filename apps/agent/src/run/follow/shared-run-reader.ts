import type { StoreReader } from '../../ports/store.ts';

/** Reads of a run's stream. */
export type FollowReader = Pick<StoreReader, 'run' | 'events' | 'partial' | 'openInbox'>;

/** A read in progress, and the read that begins after it. */
interface Reads {
  current: Promise<unknown>;
  next: Promise<unknown> | undefined;
}

/**
 * Creates a reader that is shared by the followers of the same runs. A read joins only an equal read
 * that has not begun, so its result is never older than the request. At most one of several equal
 * reads is in progress; the others share the one after it.
 */
export function shareReads(read: FollowReader): FollowReader {
  const reads = new Map<string, Reads>();
  const begin = <T>(key: string, ask: () => Promise<T>): Promise<T> => {
    const current = ask();
    const entry: Reads = { current, next: undefined };
    reads.set(key, entry);
    const forget = (): void => {
      if (entry.next === undefined) reads.delete(key);
    };
    current.then(forget, forget);
    return current;
  };
  const share = <T>(key: string, ask: () => Promise<T>): Promise<T> => {
    const entry = reads.get(key);
    if (entry === undefined) return begin(key, ask);
    const again = (): Promise<T> => begin(key, ask);
    entry.next ??= entry.current.then(again, again);
    // A key has results of one type only.
    return entry.next as Promise<T>;
  };
  return {
    run: (id) => share(`run ${id}`, () => read.run(id)),
    events: (id, options) =>
      share(`events ${id} ${options.after} ${options.limit}`, () => read.events(id, options)),
    partial: (id) => share(`partial ${id}`, () => read.partial(id)),
    openInbox: (runIds) => share(`inbox ${runIds.join(' ')}`, () => read.openInbox(runIds)),
  };
}
