import type { RowLocks, Store, StoreTransaction } from '../store.ts';

/** Rows that a write of a transaction must have locked. */
type LockedBy<M extends keyof StoreTransaction> = (
  ...parameters: Parameters<StoreTransaction[M]>
) => RowLocks;

const ofRun = (run: string): RowLocks => ({ run });
const ofThread = (thread: string): RowLocks => ({ thread });

/** Writes that depend on what was read of a run or a thread before. */
const LOCKED: { readonly [M in keyof StoreTransaction]?: LockedBy<M> } = {
  append: ofRun,
  updateRun: ofRun,
  eraseRun: ofRun,
  insertMessage: ofRun,
  deleteMessagesAfter: ofRun,
  savePartial: ofRun,
  countSampling: ofRun,
  insertCatalogue: ofRun,
  insertEpoch: ({ runId }) => ({ run: runId }),
  startTurn: ({ runId }) => ({ run: runId }),
  insertToolCall: ({ runId }) => ({ run: runId }),
  insertInboxItem: ({ runId }) => ({ run: runId }),
  insertRun: ({ threadId }) => (threadId === undefined ? {} : { thread: threadId }),
  nextThreadPosition: ofThread,
  updateThread: ofThread,
  deleteThread: ofThread,
};

/**
 * A store that fails a transaction which writes to a run or thread without naming its lock. SQLite
 * locks everything, so without this check a missing lock shows only in other databases.
 */
export function withCheckedLocks(store: Store): Store {
  return {
    ...store,
    // A worker that joins again has another id.
    get workerId() {
      return store.workerId;
    },
    write: (locks, work, options) =>
      store.write(locks, (sql) => work(checked(sql, locks)), options),
  };
}

function checked(sql: StoreTransaction, locks: RowLocks): StoreTransaction {
  return new Proxy(sql, {
    get(target, name: keyof StoreTransaction) {
      const method = target[name] as (...parameters: unknown[]) => unknown;
      const neededBy = LOCKED[name] as ((...parameters: unknown[]) => RowLocks) | undefined;
      if (neededBy === undefined) return method;
      return (...parameters: unknown[]) => {
        const { run, thread } = neededBy(...parameters);
        if (
          (run !== undefined && run !== locks.run) ||
          (thread !== undefined && thread !== locks.thread)
        )
          throw new Error(
            `${name} writes to ${run ?? thread}, and the transaction locks only ${JSON.stringify(locks)}`,
          );
        return method(...parameters);
      };
    },
  });
}
