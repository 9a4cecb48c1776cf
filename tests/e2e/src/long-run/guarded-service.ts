// The service with the guard that GUARD_OFF names switched off.
import { createProcessIo, runCommand, type TestHooks } from '@signalbox/agent';

type Store = Parameters<NonNullable<TestHooks['store']>>[0];

/** A store in which a worker stays the owner of its work after others ended it. */
function withoutLease(store: Store): Store {
  const write: Store['write'] = (lock, work, options) =>
    store.write(
      lock,
      (sql) =>
        work(
          Object.assign(Object.create(sql) as typeof sql, {
            hasLease: () => Promise.resolve(true),
            beat: (workerId: string) => sql.beat(workerId).then(() => true),
          }),
        ),
      options,
    );
  return Object.assign(Object.create(store) as Store, { write });
}

const hooks: { readonly [guard: string]: TestHooks } = {
  ledger: { recovery: () => 'retry' },
  lease: { store: withoutLease },
};

process.exitCode = await runCommand(
  createProcessIo(process),
  {
    argv: process.argv.slice(2),
    env: process.env,
    cwd: process.cwd(),
    repository: process.cwd(),
    version: '0.0.0-test',
  },
  hooks[process.env['GUARD_OFF'] ?? ''] ?? {},
);
