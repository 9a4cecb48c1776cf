import type { Store } from '../../ports/store.ts';

/** Rolls a transaction back without an error of the work. */
const ROLLBACK = new Error('rolled back to be retried');

/** A store that runs the work of each transaction twice, the first time in vain, as after a deadlock. */
export function withRetriedWrites(store: Store): Store {
  return {
    ...store,
    // A worker that joins again has another id.
    get workerId() {
      return store.workerId;
    },
    async write(locks, work, options) {
      const rolledBack = store.write(locks, async (sql) => {
        await work(sql);
        throw ROLLBACK;
      });
      try {
        await rolledBack;
      } catch (error) {
        if (error !== ROLLBACK) throw error;
      }
      return store.write(locks, work, options);
    },
  };
}
