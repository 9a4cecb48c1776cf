import { randomUUID } from 'node:crypto';
import type { TestHooks } from '@signalbox/agent';

type Store = Parameters<NonNullable<TestHooks['store']>>[0];
type Clock = Parameters<NonNullable<TestHooks['clock']>>[0];
type Call = NonNullable<Awaited<ReturnType<Store['read']['toolCall']>>>;
type Transaction = Parameters<Parameters<Store['write']>[1]>[0];

/** A protection of the service that can be switched off. */
export type Protection =
  | 'ledger'
  | 'recovery'
  | 'fence'
  | 'claim'
  | 'sweep'
  | 'look'
  | 'lease-clock';

/** Hooks for a service without the protection. `skewMs` is added to the clock of the service. */
export function hooksWithout(protection: string | undefined, skewMs = 0): TestHooks {
  switch (protection as Protection | undefined) {
    case 'ledger':
      return { recovery: () => 'retry' };
    case 'recovery':
      return {
        store: withoutSweepOfQueued(without('orphanedRuns', 'idleRuns', 'unownedCalls', 'retries')),
      };
    case 'sweep':
      return { store: withoutSweepOfQueued(without('idleRuns', 'unownedCalls')) };
    case 'look':
      return { clock: withoutLooks };
    case 'lease-clock':
      return { store: (store) => judgingLeases(store, () => Date.now() + skewMs) };
    case 'fence':
      return { store: unfenced };
    case 'claim':
      return { store: unclaimed };
    default:
      return {};
  }
}

/** Returns a hook for a store that finds nothing with these queries. */
function without(...queries: readonly (keyof Store['read'])[]): (store: Store) => Store {
  const none = Object.fromEntries(queries.map((query) => [query, () => Promise.resolve([])]));
  return (store) => {
    const read: Store['read'] = Object.assign(Object.create(store.read) as Store['read'], none);
    return Object.assign(Object.create(store) as Store, { read });
  };
}

/** Number of runs of an API key that the sweep reads at once; a slot in which a run begins reads fewer. */
const SWEEP_BATCH = 200;

/** Returns a hook after which only the sweep finds no queued runs. */
function withoutSweepOfQueued(hook: (store: Store) => Store): (store: Store) => Store {
  return (store) => {
    const inner = hook(store);
    const read: Store['read'] = Object.assign(Object.create(inner.read) as Store['read'], {
      runnableRuns: (options: Parameters<Store['read']['runnableRuns']>[0]) =>
        options.perKey >= SWEEP_BATCH ? Promise.resolve([]) : store.read.runnableRuns(options),
    });
    return Object.assign(Object.create(inner) as Store, { read });
  };
}

/** Time between two looks of a waiter at the store, in milliseconds. */
const LOOK_EVERY_MS = 1000;

/** A clock whose timers of one second never fire, such as that of the looks at the store. */
function withoutLooks(clock: Clock): Clock {
  return {
    now: () => clock.now(),
    after: (ms, callback) => (ms === LOOK_EVERY_MS ? () => undefined : clock.after(ms, callback)),
  };
}

/** Milliseconds for which a worker owns its work after a heartbeat. */
const LEASE_MS = 6000;

/** A store in which a worker ends the leases that are over by its own clock, not by the clock of the store. */
function judgingLeases(store: Store, now: () => number): Store {
  const write: Store['write'] = (locks, work, options) =>
    store.write(
      locks,
      (sql) =>
        work({
          ...sql,
          endExpiredWorkers: async ({ except }) => {
            const over = (await sql.workers())
              .filter(({ id, heartbeatAt }) => id !== except && heartbeatAt + LEASE_MS <= now())
              .map(({ id }) => id);
            for (const id of over) await sql.endWorker(id);
            return over;
          },
        }),
      options,
    );
  return Object.assign(Object.create(store) as Store, { write });
}

/** A store to which a worker writes on as the owner of its calls when its lease is over. */
function unfenced(store: Store): Store {
  const owned = (call: Call): Call =>
    call.state === 'unknown' ? { ...call, state: 'dispatched', owner: store.workerId } : call;
  const always = () => Promise.resolve(true);
  return changed(store, owned, { hasLease: always, beat: always });
}

/** A store in which each call was never sent. */
function unclaimed(store: Store): Store {
  return changed(store, (call) => ({
    ...call,
    state: 'planned',
    attempt: 0,
    idempotencyKey: randomUUID(),
  }));
}

/** A store with other calls than it has, which accepts every change to them. */
function changed(
  store: Store,
  change: (call: Call) => Call,
  more: Partial<Transaction> = {},
): Store {
  const toolCall =
    ({ toolCall: read }: Pick<Store['read'], 'toolCall'>) =>
    async (id: string) => {
      const call = await read(id);
      return call && change(call);
    };
  const read: Store['read'] = Object.assign(Object.create(store.read) as Store['read'], {
    toolCall: toolCall(store.read),
  });
  const write: Store['write'] = (locks, work, options) =>
    store.write(
      locks,
      (sql) =>
        work({
          ...sql,
          ...more,
          toolCall: toolCall(sql),
          updateToolCall: async (id, _expected, patch) => {
            const call = await sql.toolCall(id);
            return call !== undefined && sql.updateToolCall(id, { state: [call.state] }, patch);
          },
        }),
      options,
    );
  return Object.assign(Object.create(store) as Store, { read, write });
}
