import type { TestHooks } from '@signalbox/agent';

type Store = Parameters<NonNullable<TestHooks['store']>>[0];

/** A protection of the service that can be switched off. */
export type Protection = 'ledger' | 'recovery';

/** Hooks for a service without the protection. */
export function hooksWithout(protection: string | undefined): TestHooks {
  return {
    ...(protection === 'ledger' ? { recovery: () => 'retry' as const } : {}),
    ...(protection === 'recovery' ? { store: forgetful } : {}),
  };
}

/** A store that does not tell what an earlier process left unsettled. */
function forgetful(store: Store): Store {
  const nothing = () => Promise.resolve([]);
  const read: Store['read'] = Object.assign(Object.create(store.read) as Store['read'], {
    orphanedRuns: nothing,
    idleRuns: nothing,
    runnableRuns: nothing,
    unownedCalls: nothing,
    retries: nothing,
  });
  return Object.assign(Object.create(store) as Store, { read });
}
