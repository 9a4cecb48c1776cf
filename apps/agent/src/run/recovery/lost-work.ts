import type { Uses } from '../core/engine-parts.ts';
import { SWEEP_EVERY_MS } from '../core/sweep-timer.ts';

/** Milliseconds for which a turn or call must be missing here before its run is recovered: several sweeps. */
export const LOST_AFTER_MS = 3 * SWEEP_EVERY_MS;

/**
 * Finds the turns and calls that the store has as in progress at this worker, and that this process
 * does not have in progress. Their ends were committed and then lost, for example because the
 * database handed over to a server that had not received the last commits.
 */
export class LostWork {
  readonly #context: Uses<'store' | 'activities' | 'workerId'>;
  /** Time at which each turn or call was first missing here. */
  #missingSince: ReadonlyMap<string, number> = new Map();

  constructor(context: Uses<'store' | 'activities' | 'workerId'>) {
    this.#context = context;
  }

  /** Returns the runs with a turn or call that has been missing here for long enough. */
  async runIds(now: number): Promise<ReadonlySet<string>> {
    const { store, activities, workerId } = this.#context;
    const missingSince = new Map<string, number>();
    const lost = new Set<string>();
    for (const { runId, callId } of await store.read.ownedWork(workerId)) {
      if (callId === undefined ? activities.hasTurn(runId) : activities.knowsCall(callId)) continue;
      const key = callId ?? runId;
      const since = this.#missingSince.get(key) ?? now;
      missingSince.set(key, since);
      // A clock that was set back does not extend the wait.
      if (Math.abs(now - since) >= LOST_AFTER_MS) lost.add(runId);
    }
    this.#missingSince = missingSince;
    return lost;
  }
}
