import type { RunReader } from '../../ports/run-store.ts';
import type { SignalBus } from '../../ports/signal-bus.ts';

/** What a reader of a run's stream reads. */
export type FollowReader = Pick<RunReader, 'run' | 'events' | 'partial' | 'openInbox'>;

/**
 * A reader for many that follow the same runs: those who ask the same after a signal share one answer. What was asked before the signal is never given to
 * who asks after it, so nobody misses what the signal told of. It must subscribe before those who use it.
 */
export function shareReads(read: FollowReader, bus: SignalBus): FollowReader {
  const pending = new Map<string, Promise<unknown>>();
  bus.subscribe((signal) => {
    if (signal.type !== 'delta') pending.clear();
  });
  const share = <T>(key: string, ask: () => Promise<T>): Promise<T> => {
    const asked = pending.get(key);
    // Under this key there are answers of this kind only.
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
