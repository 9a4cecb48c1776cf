import type { StoreReader } from '../../ports/store.ts';
import type { SignalBus } from '../../ports/signal-bus.ts';

/** Reads of a run's stream. */
export type FollowReader = Pick<StoreReader, 'run' | 'events' | 'partial' | 'openInbox'>;

/**
 * Creates a reader that is shared by the followers of the same runs: equal reads between two
 * signals share one result. A read from before a signal is never reused after it, so no reader
 * misses a change. It must subscribe to the bus before its users.
 */
export function shareReads(read: FollowReader, bus: SignalBus): FollowReader {
  const pending = new Map<string, Promise<unknown>>();
  bus.subscribe((signal) => {
    if (signal.type !== 'delta') pending.clear();
  });
  const share = <T>(key: string, ask: () => Promise<T>): Promise<T> => {
    const asked = pending.get(key);
    // A key has results of one kind only.
    if (asked !== undefined) return asked as Promise<T>;
    const answer = ask();
    pending.set(key, answer);
    const forget = (): void => {
      if (pending.get(key) === answer) pending.delete(key);
    };
    answer.then(forget, forget);
    return answer;
  };
  return {
    run: (id) => share(`run ${id}`, () => read.run(id)),
    events: (id, options) =>
      share(`events ${id} ${options.after} ${options.limit}`, () => read.events(id, options)),
    partial: (id) => read.partial(id),
    openInbox: (runIds) => read.openInbox(runIds),
  };
}
